// The notices hold the licence and the copyright of every package that went into dist/, as the files of dist/ name them.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const ROOT = join(import.meta.dirname, "../..");
/** A sentence of each licence that says it has to go with copies. An Unlicense does not. */
const GRANTS: Readonly<Record<string, RegExp>> = {
  "0BSD": /Permission to use, copy, modify, and\/or distribute this software/,
  "Apache-2.0": /Apache License\s+Version 2\.0, January 2004[^]*You must give any other recipients/,
  "BSD-3-Clause": /Redistribution and use in source and binary forms/,
  ISC: /Permission to use, copy, modify, and\/or distribute this software/,
  MIT: /Permission is hereby granted, free of\s+charge, to any person obtaining a\s+copy/,
  "MIT-0": /Permission is hereby granted, free of charge, to any person obtaining a copy/,
  Unlicense: /(?:)/,
};
const NAMES_NOBODY = ["Apache-2.0", "Unlicense"];

function assertNotice(name: string, license: string, text: string): void {
  assert.match(
    text.replaceAll(/\s+/g, " "),
    GRANTS[license] ?? /^there is no such licence yet$/,
    `${name} (${license})`,
  );
  if (!NAMES_NOBODY.includes(license))
    assert.match(text, /copyright (?:\(c\)|©|20\d\d|[A-Z])/i, `${name} names its authors`);
}

/** The bundler writes the path of each module above its code. */
function bundledPackages(): string[] {
  const paths = globSync(join(ROOT, "dist/*.js")).flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^\s*\/\/ (node_modules\/\S+)/gm)].map(([, path]) => path as string),
  );
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].toSorted();
}

test("every package in the program has its licence and its authors in the notices", () => {
  const folders = bundledPackages();
  assert.ok(folders.length > 100, folders.join(" "));
  const parts = readFileSync(join(ROOT, "dist/THIRD-PARTY-NOTICES.txt"), "utf8").split(/^-{80}$/m);
  for (const folder of folders) {
    const { name, version, license } = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8"));
    const text = parts.find((part) => part.trimStart().startsWith(`${name} ${version} (${license})\n`));
    assert.ok(text, `${name} ${version} is in no notice`);
    assertNotice(name, license, text);
  }
});

test("every package in the console has its licence and its authors in the notices", () => {
  const text = readFileSync(join(ROOT, "dist/console/THIRD-PARTY-NOTICES.md"), "utf8");
  const parts = text.split(/^## /m).slice(1);
  assert.ok(parts.length > 10, text);
  for (const part of parts) {
    const [, name = "", license = ""] = /^(\S+) - \S+ \((.+)\)$/m.exec(part) ?? [];
    assertNotice(name, license, part);
  }
});

// The changelog, held against what the last release had: whatever users call by name, and has come or gone since, is named in it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readPublicSurface } from "../tools/public-surface.ts";
import type { PublicSurface } from "../tools/public-surface.ts";

const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
const changelog = read("../CHANGELOG.md");
const last = JSON.parse(read("fronts/last-release.json")) as { readonly version: string } & PublicSurface;

/** What a kind's names are of: who names that, has named those of it that came or went with it. */
const OWNED: Partial<Record<keyof PublicSurface, keyof PublicSurface>> = { members: "operations", flags: "commands" };
const ownerOf = (name: string) => name.slice(0, name.lastIndexOf(" "));

test("the newest section is the next version or that of package.json, and says something", () => {
  const { version } = JSON.parse(read("../package.json")) as { readonly version: string };
  const [, newest = ""] = changelog.split(/^## /m);
  assert.ok(newest.startsWith("Unreleased\n") || newest.startsWith(`${version} (`), newest.slice(0, 40));
  assert.match(newest, /^- /m);
});

test("each operation, member, setting, command, flag, error code and event type that has come or gone is named", async () => {
  const present = await readPublicSurface();
  const [newer, released] = changelog.split(`\n## ${last.version} (`);
  assert.ok(
    released !== undefined,
    `expected a section ${last.version}, of the release in test/fronts/last-release.json`,
  );
  // A path's parameters have no name.
  const unnamed = (text: string) => text.replaceAll(/\{\w+\}|:\w+/g, "{}");
  const spans = [...String(newer).matchAll(/`([^`]+)`/g)].map(([, span = ""]) => unnamed(span));
  const isNamed = (name: string) => {
    const whole = new RegExp(`(?<![\\w-])${RegExp.escape(unnamed(name))}(?![\\w{/-])`);
    return spans.some((span) => whole.test(span));
  };
  const missing = (Object.keys(present) as (keyof PublicSurface)[]).flatMap((kind) => {
    const owner = OWNED[kind];
    const hasOwner = (name: string) =>
      owner === undefined || [present, last].every((surface) => surface[owner].includes(ownerOf(name)));
    const own = (name: string) => (owner === undefined ? name : name.slice(ownerOf(name).length + 1));
    const compare = (some: PublicSurface, others: PublicSurface, what: string) => {
      const names = some[kind].filter((name) => !others[kind].includes(name) && hasOwner(name) && !isNamed(own(name)));
      // One line in the changelog is enough for a flag of many commands.
      return [...Map.groupBy(names, own).values()].map(([name]) => `${what} since ${last.version}: ${name}`);
    };
    return [...compare(present, last, "new"), ...compare(last, present, "gone")];
  });
  assert.deepEqual(missing, [], `expected each in CHANGELOG.md, between backquotes, above the section ${last.version}`);
});

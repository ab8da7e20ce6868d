// The documentation that a server shows, as `npm run build` makes it: each page is there, each link leads somewhere, and errors lead to
// what to do about them.
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { CONTRACTS } from "../src/contracts.ts";
import { ERROR_STATUS } from "../src/platform/kernel/errors.ts";
import { SETTINGS } from "../src/serve/config/settings.ts";
import { ERROR_REMEDIES } from "../src/serve/reference/error-remedies.ts";
import { HEALTH_CHECKS } from "../src/serve/observability/health-checks.ts";
import { startOwnApp } from "./harness/test-app.ts";

const ROOT = join(import.meta.dirname, "..");
const { app, request } = await startOwnApp();
const open = { token: null };

async function read(page: string): Promise<string> {
  const { status, text } = await request("GET", `/docs/${page}`, open);
  assert.equal(status, 200, page);
  return text;
}

const home = await read("");
const names = [...new Set([...home.matchAll(/<a href="([\w.-]+)"/g)].map(([, name = ""]) => name))];
const pages = new Map([
  ["", home],
  ...(await Promise.all(names.map(async (name) => [name, await read(name)] as const))),
]);
const idsOf = (page: string) => new Set([...page.matchAll(/\bid="([^"]+)"/g)].map(([, id = ""]) => id));
const ids = new Map([...pages].map(([name, page]) => [name, idsOf(page)]));

/** The row of a table that an address leads to. */
function rowOf(page: string, id: string): string {
  return (pages.get(page) ?? "").split(`<tr id="${id}">`)[1]?.split("</tr>")[0] ?? "";
}

test("the home page leads to every page of docs/", () => {
  for (const file of globSync("docs/*.md", { cwd: ROOT })) {
    const name = basename(file, ".md");
    if (name !== "README") assert.ok(pages.has(name), file);
  }
});

test("each link within the documentation leads to a page or a file that is served, and to a part that it has", async () => {
  const elsewhere = new Set(["../openapi.json", "../console/", "../console/api"]);
  const found = new Set<string>();
  for (const [name, page] of pages) {
    for (const [, href = ""] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
      if (/^https?:/.test(href) || elsewhere.has(href)) continue;
      const [path = "", id] = href.split("#");
      const target = path === "" ? name : path === "./" ? "" : path;
      if (pages.has(target)) assert.ok(id === undefined || ids.get(target)?.has(id), `${name}: ${href}`);
      else found.add(target);
    }
    for (const [, source = ""] of page.matchAll(/<img src="([^"]+)"/g)) found.add(source);
  }
  assert.ok(found.size > 10);
  for (const file of found) assert.equal((await request("GET", `/docs/${file}`, open)).status, 200, file);
});

test("each error, setting and health check has a row at the address that is named", async () => {
  for (const code of Object.keys(ERROR_STATUS) as (keyof typeof ERROR_REMEDIES)[]) {
    const remedy = ERROR_REMEDIES[code].split(/[`'&<>"]/)[0] as string;
    assert.ok(rowOf("errors", code).includes(remedy), code);
  }
  for (const { env } of Object.values(SETTINGS)) assert.notEqual(rowOf("configuration", env), "", env);
  for (const check of Object.keys(HEALTH_CHECKS)) assert.notEqual(rowOf("runbook", check), "", check);
  const { error } = (await app.server.inject("/v2/teams/none-such")).json<{ error: { docs: string } }>();
  assert.match(error.docs, /\/docs\/errors#not_authorized$/);
});

test("each operation has a section with samples, its errors and its response", () => {
  const reference = [...pages].filter(([name]) => name.startsWith("reference-")).map(([, page]) => page);
  for (const [id, { errors }] of CONTRACTS.flatMap((contract) => Object.entries(contract))) {
    const section = reference
      .flatMap((page) => page.split('<section class="operation">'))
      .find((one) => one.includes(`id="${id}"`));
    assert.ok(section, id);
    assert.ok(section.includes("<summary>curl</summary>"), id);
    assert.match(section, /<h3>Response <span class="status">20\d/, id);
    for (const code of errors) assert.ok(section.includes(`href="errors#${code}"`), `${id}: ${code}`);
  }
});

test("the search has each page, and its parts by the addresses at which they are", async () => {
  const index = JSON.parse((await request("GET", "/docs/search.json", open)).text) as {
    readonly pages: readonly (readonly [name: string, title: string])[];
    readonly sections: readonly (readonly [page: number, id: string, title: string, text: string])[];
  };
  assert.deepEqual(
    names.filter((name) => !index.pages.some(([one]) => one === name)),
    [],
  );
  for (const [at, id] of index.sections) {
    const [name = ""] = index.pages[at] ?? [];
    const page = ids.get(name);
    if (page && id !== "") assert.ok(page.has(id), `${name}#${id}`);
  }
  assert.ok(index.sections.length > 1_000);
});

test("pages have no script and no style of their own, and load from this server alone", async () => {
  for (const [name, page] of pages) {
    assert.doesNotMatch(
      page,
      /<style|\bstyle="|\bon\w+="|<script(?! type="module" src="docs\.js">)|src="https?:/i,
      name,
    );
  }
  const { headers } = await request("GET", "/docs/secrets", open);
  assert.match(
    headers["content-security-policy"] ?? "",
    /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/,
  );
});

test("a page is compressed for clients that accept it, and not sent again to those that have it", async () => {
  const ask = async (encoding: string, tag = "") =>
    await app.server.inject({
      url: "/docs/secrets",
      headers: { "accept-encoding": encoding, "if-none-match": tag },
    });
  const [plain, compressed] = [await ask("gzip"), await ask("gzip, br")];
  assert.deepEqual([plain.headers["content-encoding"], compressed.headers["content-encoding"]], [undefined, "br"]);
  assert.equal(brotliDecompressSync(compressed.rawPayload).toString("utf8"), plain.payload);
  assert.ok(compressed.rawPayload.length < plain.rawPayload.length / 3);
  const tag = String(compressed.headers["etag"]);
  assert.notEqual(tag, plain.headers["etag"]);
  assert.deepEqual([(await ask("br", tag)).statusCode, (await ask("", tag)).statusCode], [304, 200]);
});

test("texts of the program name pages by their addresses here, not by files that came with the code", () => {
  const named = new Set<string>();
  for (const file of globSync("src/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] })) {
    for (const line of readFileSync(join(ROOT, file), "utf8").split("\n")) {
      if (/^\s*(?:\/\/|\/?\*)/.test(line)) continue;
      assert.doesNotMatch(line, /docs\/[\w-]+\.md/, file);
      for (const [, name = ""] of line.matchAll(/[ "`(]\/docs\/([a-z-]+)/g)) named.add(name);
    }
  }
  assert.ok(named.size > 8);
  for (const name of named) assert.ok(pages.has(name), name);
});

test("what the pages are made of comes with its licences", async () => {
  for (const [file, words] of [
    ["THIRD-PARTY-NOTICES.txt", /minisearch[^]*Permission is hereby granted, free of/],
    ["LICENSE-inter.txt", /SIL OPEN FONT LICENSE/i],
    ["LICENSE-jetbrains-mono.txt", /SIL OPEN FONT LICENSE/i],
  ] as const) {
    assert.match(await read(file), words);
  }
});

test("what is not there is refused, whatever name is asked for", async () => {
  for (const name of ["none", "index.html.br", "..%2Freeve.js", "%2e%2e", "constructor", "secrets.md"]) {
    const { status, body } = await request("GET", `/docs/${name}`, open);
    assert.deepEqual([status, body.error.code], [404, "not_found"], name);
  }
});

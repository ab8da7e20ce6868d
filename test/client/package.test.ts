// The client as programs get it, in its own package and in that of the server: its size, its types, and the examples of docs/client.md, compiled and run against a server.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { builtFile } from "../harness/program.ts";
import { addClient, compileStrictly, linkPackages } from "./package-folder.ts";
import { startListeningApp } from "../clients/started-app.ts";

const ROOT = join(import.meta.dirname, "../..");
const MAX_BYTES = 12 * 1024;
const folder = mkdtempSync(join(tmpdir(), "reeve-client-"));
after(() => rmSync(folder, { recursive: true, force: true }));
mkdirSync(join(folder, "node_modules/@reeve-hq"), { recursive: true });
symlinkSync(ROOT, join(folder, "node_modules/@reeve-hq/reeve"));
addClient(join(folder, "node_modules"));
linkPackages(join(folder, "node_modules"), ["@types/node", "undici-types"]);
writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
const AS_TYPES = ["--allowImportingTsExtensions", "--erasableSyntaxOnly"];
const compile = (names: readonly string[], more: readonly string[] = []) =>
  compileStrictly(folder, names, [...AS_TYPES, ...more]);

test("the client is small and asks for nothing else", () => {
  const text = readFileSync(builtFile("client.js"), "utf8");
  const { byteLength } = gzipSync(text, { level: 9 });
  assert.ok(byteLength <= MAX_BYTES, `${byteLength} bytes`);
  assert.doesNotMatch(text, /\bimport\s*[{"(]|\bfrom"|\brequire\(/);
});

test("its types stand alone, and refuse what the contracts refuse", () => {
  const head =
    'import { createClient } from "@reeve-hq/reeve/client";\nconst client = createClient({ server: "http://localhost" });\n';
  writeFileSync(
    join(folder, "right.ts"),
    [
      head,
      'import type { CreateWebhookInput, Input, ListSecretsQuery, ReplayWebhookInput } from "@reeve-hq/reeve/client";',
      'const { teams } = await client.call("listTeams");',
      "teams[0]?.slug.trim();",
      'const events: CreateWebhookInput["events"] = ["team-*"];',
      'const body: Input<"createWebhook">["body"] = { url: "https://example.com", events };',
      'const query: ListSecretsQuery = { tag: "db", slug: "acme" };',
      'const [replay]: Parameters<(body: ReplayWebhookInput) => void> = [{ since: "2030-01-01" }];',
      "console.log(body.events[0]?.length, query.tag?.length, replay.since);",
      "",
    ].join("\n"),
  );
  const wrong = [
    ['await client.call("listTeam");', /"listTeam"/],
    ['await client.call("createTeam", { body: { name: "x" } });', /slug/],
    ['await client.call("getTeam", { params: { teamId: 1 } });', /number/],
    ['await client.call("getTeam");', /Expected/],
    ['client.items("getTeam", { params: { teamId: "x" } });', /"getTeam"/],
    ['(await client.call("listTeams")).secrets;', /secrets/],
  ] as const;
  const names = wrong.map(([line], at) => {
    writeFileSync(join(folder, `wrong-${at}.ts`), `${head}${line}\n`);
    return `wrong-${at}.ts`;
  });
  // One run reads the types once; a message begins with its file.
  const messages = compile(["right.ts", ...names]).split(/^(?=\S+\.ts\()/m);
  assert.deepEqual(
    messages.filter((text) => !text.startsWith("wrong-")),
    [],
  );
  for (const [at, [line, message]] of wrong.entries()) {
    assert.match(messages.filter((text) => text.startsWith(`wrong-${at}.ts`)).join(""), message, line);
  }
});

/** Where one declares a record by hand and the other names its members: neither is assignable to the other. */
const LOOSE = ["reportGateDecisions"];

test("the printed types agree with those of the contracts: one is assignable to the other", () => {
  const types = join(ROOT, "src/client/types.ts");
  writeFileSync(
    join(folder, "same.ts"),
    `import type { Input, Output, OperationId, ListId } from "@reeve-hq/reeve/client";
import type * as own from "${types}";
type Assignable<A, B> = [A] extends [B] ? true : false;
type Agrees<A, B> = Assignable<A, B> extends true ? true : Assignable<B, A>;
type Ids = Assignable<OperationId, own.OperationId> & Assignable<own.OperationId, OperationId>;
type Lists = Assignable<ListId, own.ListId> & Assignable<own.ListId, ListId>;
type Wrong = {
  [K in OperationId]: Agrees<own.Input<K>, Input<K>> extends true ? never : K;
}[OperationId];
export const ids: [Ids, Lists] = [true, true];
type Check<T extends never> = T;
export type None = Check<Exclude<Wrong, ${LOOSE.map((id) => JSON.stringify(id)).join(" | ")}>>;
`,
  );
  assert.equal(compile(["same.ts"], ["--skipLibCheck", "--verbatimModuleSyntax"]), "");
});

test("the examples of docs/client.md compile, run, and print what the page says", async () => {
  const page = readFileSync(join(ROOT, "docs/client.md"), "utf8");
  const blocks = [...page.matchAll(/```ts\n([^]*?)```/g)].map(([, block = ""]) => block);
  assert.equal(blocks.length, 5);
  const program = [...blocks, "export { receive };\n"].join("\n");
  writeFileSync(join(folder, "example.ts"), program);
  assert.equal(compile(["example.ts"]), "");
  const { url, admin } = await startListeningApp();
  const env = { ...process.env, REEVE_SERVER: url, REEVE_TOKEN: admin.token };
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, "example.ts")], { env });
  const expected = [...program.matchAll(/\/\/ prints (.+)$/gm)].map(([, text]) => text);
  assert.equal(expected.length, 4);
  assert.deepEqual(stdout.trim().split("\n"), expected);
});

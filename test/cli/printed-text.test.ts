// Names that others chose, on a terminal: no command prints a character that a terminal interprets.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { toPrintable } from "../../src/platform/kernel/text/printable-text.ts";
import { createStorage } from "../harness/test-app.ts";
import { runReeve, serveReeve } from "./in-process.ts";

/** Moves the cursor, sets the title, colours (in 8 bits too), hides, reverses, and starts a line. */
const HOSTILE = "a\u001B[2J\u001B]0;title\u0007\u009B31m\u007F\u202Ecba\u2066\r\nadmin  forged\u2028";
const SHOWN = "a\\u001b[2J\\u001b]0;title\\u0007\\u009b31m\\u007f\\u202ecba\\u2066\\u000d\\u000aadmin  forged\\u2028";
// Ordinary names: nothing of them is escaped.
const HARMLESS = "Zoë \u{1F469}\u200D\u{1F680} شیما \u0301";

const storage = await createStorage();
const server = await serveReeve(storage.flags);
after(async () => {
  await server.stop();
  await storage.remove();
});

async function post(path: string, body: unknown): Promise<void> {
  const headers = { authorization: `Bearer ${server.adminToken}`, "content-type": "application/json" };
  const response = await fetch(server.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  assert.equal(response.status, 200, await response.text());
}

/** Runs a command, whose output may contain line ends and no other invisible character. */
async function run(...args: string[]): Promise<string> {
  const { stdout, stderr } = await runReeve(args, storage.flags);
  // A tab stands between the cells of a line for programs.
  for (const printed of [stdout, stderr]) assert.equal(printed, printed.replaceAll(/[^\n\t]+/g, toPrintable));
  return stdout + stderr;
}

test("names of accounts and tokens, and events about them, are printed escaped", async () => {
  await post("/v1/users", { username: "hostile", email: "hostile@example.com", name: HOSTILE });
  await post("/v1/users", { username: "harmless", email: "harmless@example.com", name: HARMLESS });
  await post("/v3/user/tokens", { name: HOSTILE });
  const users = await run("user", "list");
  assert.ok(users.includes(SHOWN) && users.includes(HARMLESS), users);
  assert.equal(users.trim().split("\n").length, 4);
  assert.ok((await run("token", "list", "--user", "admin")).includes(SHOWN));
  assert.ok((await run("events", "list", "--local")).includes("created access token"));
  assert.ok((await run("token", "create", "--user", "hostile", "--name", HOSTILE, "--json")).includes("[2J"));
});

test("JSON is the same text, without such characters in it", async () => {
  const { users } = JSON.parse(await run("user", "list", "--json")) as { users: { username: string; name: string }[] };
  assert.equal(users.find(({ username }) => username === "hostile")?.name, HOSTILE);
});

test("refusals and unknown arguments are printed escaped", async () => {
  assert.ok((await run("token", "list", "--user", HOSTILE)).includes("\\u001b[2J"));
  assert.ok((await run("token", "list", "--json", "--user", HOSTILE)).includes("\\u001b[2J"));
  assert.ok((await run(`--${HOSTILE}`)).includes("\\u001b[2J"));
  const file = join(storage.flags.dataDir as string, "expectations.yaml");
  writeFileSync(file, `${JSON.stringify(HOSTILE)}: 1\n`);
  assert.ok((await run("firewall", "test", file)).length > 0);
});

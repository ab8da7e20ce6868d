// The receivers of docs/webhooks.md, as the page has them: each gets a delivery of a real server, and refuses what is not signed.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient } from "../../src/client/client.ts";
import { addClient, linkPackages } from "../client/package-folder.ts";
import { startProgram } from "../cli/reeve-process.ts";
import { startRemoteWorld } from "../cli/remote-world.ts";
import { freePort } from "../harness/free-port.ts";
import { waitFor } from "../harness/wait-for.ts";

const ROOT = join(import.meta.dirname, "../..");
// Signatures are of the present time, so the clock is the machine's.
const { remote, folder } = await startRemoteWorld({ egressAllow: "127.0.0.1" });
const client = createClient({ server: String(remote["REEVE_SERVER"]), token: String(remote["REEVE_TOKEN"]) });
addClient(join(folder, "node_modules"));
linkPackages(join(folder, "node_modules"), ["express", "fastify", "hono", "@hono"]);

const page = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");
const blocks = [...page.matchAll(/```(js|python|go) (\w+)\n([^]*?)```/g)];
assert.equal(blocks.length, 5);
const textOf = (wanted: string) => blocks.find(([, , name]) => name === wanted)?.[3] ?? "";

/** The ending of a file, and the command that runs it, by language. Go is not on every machine: else the test below is all that holds it. */
const LANGUAGES: Readonly<
  Record<string, readonly [ending: string, commandOf: (file: string) => readonly [string, ...string[]]]>
> = {
  js: ["mjs", (file) => [process.execPath, file]],
  python: ["py", (file) => ["python3", file]],
  ...(spawnSync("go", ["version"]).status === 0 && { go: ["go", built] }),
};

function built(file: string): readonly [string] {
  const program = file.replace(/\.go$/, "");
  execFileSync("go", ["build", "-o", program, file]);
  return [program];
}

test("the receiver in Go reads and compares what the one in Python does", () => {
  const [python, go] = [textOf("python"), textOf("go")];
  const quoted = (text: string) =>
    [
      ...new Set([...text.matchAll(/["']((?:webhook-|whsec_|v1,|WEBHOOK_|PORT)[\w,-]*)["']/g)].map(([, one]) => one)),
    ].toSorted();
  assert.deepEqual(quoted(go), quoted(python));
  assert.equal(quoted(go).length, 7, quoted(go).join());
  assert.match(python, /\{headers\.get\('webhook-id'\)\}\.\{at\}\.".encode\(\) \+ body/);
  assert.match(go, /Fprintf\(mac, "%s\.%s\.%s", header\.Get\("webhook-id"\), at, body\)/);
  const [, seconds = ""] = /time\.time\(\) - int\(at\)\) < (\d+)/.exec(python) ?? [];
  const [, minutes = ""] = /Abs\(\) > (\d+)\*time\.Minute/.exec(go) ?? [];
  assert.equal(Number(seconds), Number(minutes) * 60);
  for (const [text, ...words] of [
    [python, "hashlib.sha256", "hmac.compare_digest", "b64decode", "b64encode", "204 if signed else 401"],
    [
      go,
      "sha256.New",
      "hmac.Equal",
      "StdEncoding.DecodeString",
      "EncodeToString",
      "StatusUnauthorized",
      "StatusNoContent",
    ],
  ] as const) {
    for (const word of words) assert.ok(text.includes(word), word);
  }
});

for (const [, language = "", name = "", text = ""] of blocks) {
  const [ending, commandOf] = LANGUAGES[language] ?? [];
  if (commandOf === undefined) continue;
  test(`a delivery to ${name}`, async () => {
    const file = join(folder, `${name}.${ending}`);
    writeFileSync(file, text);
    const [program, ...args] = commandOf(file);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const webhook = await client.call("createWebhook", { body: { url, events: ["*"] } });
    const env = { WEBHOOK_SECRET: webhook.secret, PORT: String(port) };
    const running = startProgram(program, args, {}, env);
    after(() => running.child.kill("SIGKILL"));
    const forged = { method: "POST", headers: { "content-type": "application/json" }, body: '{"type":"forged"}' };
    const refused = await waitFor(`${name} to listen`, async () => await fetch(url, forged).catch(() => undefined));
    assert.equal(refused.status, 401);
    const sent = await client.call("testWebhook", { params: { webhookId: webhook.id } });
    assert.deepEqual([sent.status, sent.delivered], [204, true]);
    await running.printed(/^test-webhook$/m);
  });
}

// The receivers of docs/webhooks.md, as the page has them: each gets a delivery of a real server, and refuses what is not signed.
import assert from "node:assert/strict";
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
const blocks = [...page.matchAll(/```(js|python) (\w+)\n([^]*?)```/g)];
assert.equal(blocks.length, 4);

for (const [, language = "", name = "", text = ""] of blocks) {
  test(`a delivery to ${name}`, async () => {
    const file = join(folder, `${name}.${language === "js" ? "mjs" : "py"}`);
    writeFileSync(file, text);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/hooks`;
    const webhook = await client.call("createWebhook", { body: { url, events: ["*"] } });
    const env = { WEBHOOK_SECRET: webhook.secret, PORT: String(port) };
    const program = startProgram(language === "js" ? process.execPath : "python3", [file], {}, env);
    after(() => program.child.kill("SIGKILL"));
    const forged = { method: "POST", headers: { "content-type": "application/json" }, body: '{"type":"forged"}' };
    const refused = await waitFor(`${name} to listen`, async () => await fetch(url, forged).catch(() => undefined));
    assert.equal(refused.status, 401);
    const sent = await client.call("testWebhook", { params: { webhookId: webhook.id } });
    assert.deepEqual([sent.status, sent.delivered], [204, true]);
    await program.printed(/^test-webhook$/m);
  });
}

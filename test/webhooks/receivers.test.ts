// The receivers of docs/webhooks.md, as the page has them: each gets a delivery of a real server, and refuses what is not signed.
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient } from "../../src/client/client.ts";
import { serveReeve } from "../cli/in-process.ts";
import { startProgram } from "../cli/reeve-process.ts";
import { freePort } from "../harness/free-port.ts";
import { builtFile } from "../harness/program.ts";
import { createStorage } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";

const ROOT = join(import.meta.dirname, "../..");
const TOKEN = "an_administrators_token_of_this_test";
const storage = await createStorage();
// Signatures are of the present time.
const server = await serveReeve({ ...storage.flags, bootstrapToken: TOKEN, egressAllow: "127.0.0.1" });
const client = createClient({ server: server.url, token: TOKEN });
const folder = mkdtempSync(join(tmpdir(), "reeve-receivers-"));
after(async () => {
  await server.stop();
  await storage.remove();
  rmSync(folder, { recursive: true, force: true });
});
const packages = join(folder, "node_modules");
mkdirSync(join(packages, "@reeve-hq/client"), { recursive: true });
copyFileSync(builtFile("client.js"), join(packages, "@reeve-hq/client/index.js"));
writeFileSync(
  join(packages, "@reeve-hq/client/package.json"),
  JSON.stringify({ type: "module", exports: "./index.js" }),
);
for (const name of ["express", "fastify", "hono", "@hono"])
  symlinkSync(join(ROOT, "node_modules", name), join(packages, name));

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

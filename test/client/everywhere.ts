// What the client does in each runtime that it is tried in: calls, reads a list to its end, is refused, verifies a webhook.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { builtFile } from "../harness/program.ts";

/** The package's one file. */
export const CLIENT = readFileSync(builtFile("client.js"), "utf8");

function signedMessage() {
  const key = Buffer.from("a key of this test, 32 bytes long");
  const body = '{"type":"team"}';
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac("sha256", key).update(`msg_1.${timestamp}.${body}`).digest("base64");
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": timestamp, "webhook-signature": `v1,${signature}` };
  return { headers, body, secret: `whsec_${key.toString("base64")}` };
}

/** Statements that use `createClient` and `verifyWebhook`, and return what is to equal `EXPECTED`. */
export function clientProgram(server: string, token: string): string {
  return `
    const client = createClient(${JSON.stringify({ server, token })});
    for (const slug of ["one", "two", "three"]) await client.call("createTeam", { body: { slug } });
    const slugs = [];
    for await (const team of client.items("listTeams", { query: { limit: 1 } })) slugs.push(team.slug);
    const refused = await client.call("getTeam", { params: { teamId: "none" } }).catch(({ name, status, code }) => [name, status, code]);
    const received = ${JSON.stringify(signedMessage())};
    const event = await verifyWebhook(received);
    const forged = await verifyWebhook({ ...received, body: received.body + " " }).catch(({ code }) => code);
    let isExported = false;
    for await (const line of client.lines("exportEvents", {}, { accept: "application/x-ndjson" })) isExported ||= "id" in JSON.parse(line);
    return [slugs, refused, event.type, forged, isExported];`;
}

export const EXPECTED = [["three", "two", "one"], ["ReeveError", 404, "not_found"], "team", "invalid_webhook", true];

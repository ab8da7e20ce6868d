import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";

const direct = await startOwnApp();
const behindProxy = await startOwnApp({ trustedProxies: "127.0.0.1, 10.0.0.0/8" });

async function addressOfEvent({ request }: typeof direct, forwarded: string): Promise<string> {
  const headers = { "x-forwarded-for": forwarded };
  const { body } = await request("POST", "/v1/teams", { headers, body: { slug: "seen" } });
  const feed = await request("GET", `/v3/events?teamId=${body.id}&withPayload=true`);
  return feed.body.events[0].ip;
}

test("a forwarded address is accepted from trusted proxies only", async () => {
  assert.equal(await addressOfEvent(behindProxy, "203.0.113.9, 10.1.2.3"), "203.0.113.9");
  assert.equal(await addressOfEvent(direct, "203.0.113.9"), "127.0.0.1");
});

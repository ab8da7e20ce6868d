// What bounds the exchange of tokens, through HTTP: working keys of a rule, and wrong tokens of an address.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import { TYPES, openIdentityWorld } from "../../../test/sign-in/identity-world.ts";
import { MINUTE_MS } from "../../kernel/scheduling/clock.ts";

const LIMIT = 12;
const MAX_KEYS = 1_000;
/** A token is exchanged a hundred times at most. */
const USES = 100;
/** Fewer than may be verified at a time. */
const AT_A_TIME = 25;

test("a rule has 1 000 working keys at most, and more when they end", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1" });
  const { github, openTrust, claimsNow, exchange, accepted, statusWith } = await openIdentityWorld(client);
  const [full, other] = [await openTrust(), await openTrust()];
  let value = "";
  for (let made = 0; made < MAX_KEYS; made += USES) {
    const token = await github.sign(claimsNow());
    for (let used = 0; used < USES; used += AT_A_TIME) {
      [value = ""] = await Promise.all(Array.from({ length: AT_A_TIME }, () => accepted(full.team.id, token)));
    }
  }
  const token = await github.sign(claimsNow());
  const refused = await exchange({ audience: full.team.id }, token);
  assert.deepEqual(
    [refused.status, refused.body.error, refused.body.code],
    [429, "temporarily_unavailable", "too_many_requests"],
  );
  assert.match(refused.body.error_description, /keys of this trust rule/);
  assert.equal(refused.headers["retry-after"], "5");
  await accepted(other.team.id, token);
  assert.equal(await statusWith(value), 200);
  client.clock.advance(15 * MINUTE_MS);
  await accepted(full.team.id, await github.sign(claimsNow()));
});

test("fifty tokens of an issuer that does not answer are verified at once, and more are refused", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1" });
  const asked: ServerResponse[] = [];
  const silent = createServer((_message, res) => void asked.push(res)).listen(0, "127.0.0.1");
  await once(silent, "listening");
  after(() => {
    silent.closeAllConnections();
    silent.close();
  });
  const { github, openTrust, claimsNow } = await openIdentityWorld(client);
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { owner, scope } = await openTrust({ issuer: url });
  const token = await github.sign(claimsNow({ iss: url }));
  const explain = () => client.request("POST", `/v1/identity/explain${scope}`, { token: owner.token, body: { token } });
  // Sent at once, so that the first ones still wait for the issuer when the last ones are refused.
  const answers = Array.from({ length: 80 }, explain);
  const refused = await Promise.any(
    answers.map(async (answer) => {
      const { status, body } = await answer;
      if (status !== 429) throw new Error(`not refused, but ${status}`);
      return body;
    }),
  );
  assert.equal(refused.error.code, "too_many_requests");
  silent.closeAllConnections();
  for (const { status } of await Promise.all(answers)) assert.ok(status === 200 || status === 429, String(status));
});

test("refused tokens of an address count as wrong credentials, and tokens that fit do not", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1", rateLimit: String(LIMIT) });
  const { github, openTrust, claimsNow } = await openIdentityWorld(client);
  const { team } = await openTrust();
  const wrong = await github.sign(claimsNow({ sub: "repo:evil/shop" }));
  const right = await github.sign(claimsNow());
  const send = (ip: string, token: string) =>
    client.request("POST", "/v1/identity/exchange", {
      token: null,
      ip,
      body: { ...TYPES, audience: team.id, subject_token: token },
    });
  for (let sent = 1; sent <= LIMIT; sent++) {
    assert.equal((await send("192.0.2.1", right)).status, 200);
    const { status, headers } = await send("192.0.2.1", sent % 2 === 0 ? wrong : "no token");
    assert.deepEqual([status, headers["x-ratelimit-remaining"]], [400, String(LIMIT - sent)]);
  }
  const { status, body } = await send("192.0.2.1", wrong);
  assert.deepEqual([status, body.error, body.code], [429, "temporarily_unavailable", "too_many_requests"]);
  assert.match(body.error_description, /REEVE_RATE_LIMIT/);
  assert.equal((await client.request("GET", "/v2/user", { token: "guess", ip: "192.0.2.1" })).status, 429);
  assert.equal((await send("192.0.2.2", wrong)).status, 400);
});

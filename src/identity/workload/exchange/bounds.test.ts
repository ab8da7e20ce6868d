// What bounds the exchange of tokens, through HTTP: working keys of a rule, and wrong tokens of an address.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { TYPES, openWorkload } from "../../../../test/resources/workload.ts";
import { MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";

const LIMIT = 12;
const MAX_KEYS = 1_000;
/** A token is exchanged a hundred times at most. */
const USES = 100;
/** Fewer than may wait for keys at a time. */
const AT_A_TIME = 25;

test("a rule has 1 000 working keys at most, and more when they end", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1" });
  const { github, createTrustRule, claimsNow, exchange, accepted, statusWith } = await openWorkload(client);
  const [full, other] = [await createTrustRule(), await createTrustRule()];
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

/** An issuer that does not answer, at as many URLs as are asked for. */
async function startSilent() {
  const silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const hangUp = () => silent.closeAllConnections();
  after(() => {
    hangUp();
    silent.close();
  });
  return { hangUp, url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}` };
}

test("fifty tokens wait for the keys of an issuer that does not answer, and more are told to try again", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1" });
  const { hangUp, url } = await startSilent();
  const { github, createTrustRule, claimsNow } = await openWorkload(client);
  const { owner, scope } = await createTrustRule({ issuer: url });
  const token = await github.sign(claimsNow({ iss: url }));
  const explain = () => client.request("POST", `/v1/identity/explain${scope}`, { token: owner.token, body: { token } });
  const refused: string[] = [];
  const allRefused = Promise.withResolvers<void>();
  const answers = Array.from({ length: 80 }, async () => {
    const { body }: Body = await explain();
    const { text } = body.checks.find(({ check }: Body) => check === "signature");
    if (!/too many tokens wait for keys/.test(text)) return;
    if (refused.push(text) === 30) allRefused.resolve();
  });
  // The issuer answers nobody until all are refused that find fifty before them; a wrong bound answers too few, or too many.
  await Promise.race([allRefused.promise, Promise.all(answers)]);
  hangUp();
  await Promise.all(answers);
  assert.equal(refused.length, 30);
});

test("issuers that do not answer stop no tokens of others, also when their keys are not new any more", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1" });
  const { hangUp, url } = await startSilent();
  const { github, createTrustRule, claimsNow, exchange, accepted } = await openWorkload(client);
  const { team } = await createTrustRule();
  await accepted(team.id, await github.sign(claimsNow()));
  client.clock.advance(11 * MINUTE_MS);
  const targets: string[] = [];
  for (let at = 0; at < 10; at++) targets.push((await createTrustRule({ issuer: `${url}/${at}` })).team.id);
  const waiting = await Promise.all(
    targets.map(async (target, at) => {
      const token = await github.sign(claimsNow({ iss: `${url}/${at}` }));
      return Array.from({ length: 50 }, () => exchange({ audience: target }, token));
    }),
  );
  const again = await createTrustRule({ issuer: `${url}/more` });
  const refused = await exchange({ audience: again.team.id }, await github.sign(claimsNow({ iss: `${url}/more` })));
  assert.deepEqual([refused.status, refused.body.code], [503, "provider_unavailable"], "all places are taken");
  await accepted(team.id, await github.sign(claimsNow()));
  hangUp();
  for (const { status } of await Promise.all(waiting.flat())) assert.equal(status, 503);
});

test("refused tokens of an address count as wrong credentials, and tokens that fit do not", async () => {
  const client = await startOwnApp({ egressAllow: "127.0.0.1", rateLimit: String(LIMIT) });
  const { github, createTrustRule, claimsNow } = await openWorkload(client);
  const { team } = await createTrustRule();
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

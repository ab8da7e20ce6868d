// Tokens and key sets of unusual forms, through HTTP: what counts, and what is refused like any other token that does not fit.
import assert from "node:assert/strict";
import { CompactSign } from "jose";
import { test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { AUDIENCE, SUBJECT, openWorkload } from "../../../../test/resources/workload.ts";
import { createSigningKey } from "../../../../test/sign-in/token-issuer.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp({ egressAllow: "127.0.0.1" });
const { app, clock, request } = client;
const { github, startIssuer, createTrustRule, claimsNow, exchange, accepted, refused } = await openWorkload(client);

async function explain({ owner, scope }: { owner: { token: string }; scope: string }, token: string): Promise<Body> {
  const explained = await request("POST", `/v1/identity/explain${scope}`, { token: owner.token, body: { token } });
  assert.equal(explained.status, 200, explained.text);
  return explained.body;
}

test("a token without kid needs an issuer with one key of its alg; a key set with others is used", async () => {
  const issuer = await startIssuer();
  const opened = await createTrustRule({}, issuer);
  const signature = async (token: string) =>
    (await explain(opened, token)).checks.find(({ check }: Body) => check === "signature");
  const without = () => issuer.sign(claimsNow(), { header: { kid: undefined } as object });
  await accepted(opened.team.id, await without());
  const [second, elliptic] = [await createSigningKey("second"), await createSigningKey("first", "ES256")];
  for (const keys of [
    [second.publicJwk, issuer.key.publicJwk],
    [issuer.key.publicJwk, { ...second.publicJwk, kid: "first" }],
  ]) {
    issuer.keys = keys;
    clock.advance(11 * MINUTE_MS);
    await refused(opened.team.id, await without());
    assert.match((await signature(await without())).text, /several keys of .* have its kid and alg/);
  }
  issuer.keys = [
    elliptic.publicJwk,
    { kty: "oct", kid: "first", k: "c2VjcmV0" },
    { kty: "unknown", kid: "first" },
    { ...second.publicJwk, kid: "first", use: "enc" },
    issuer.key.publicJwk,
  ];
  clock.advance(11 * MINUTE_MS);
  await accepted(opened.team.id, await issuer.sign(claimsNow()));
  for (const odd of [[null], ["text"], [{}], [{ kty: "RSA", kid: "first", n: "AQAB", e: "AQAB" }]]) {
    issuer.keys = odd as never;
    clock.advance(2 * HOUR_MS);
    const { status } = await exchange({ audience: opened.team.id }, await issuer.sign(claimsNow()));
    assert.ok(status === 400 || status === 503, `${JSON.stringify(odd)}: ${status}`);
  }
});

test("odd headers and claims are refused as any other token, and none is a failure of the server", async () => {
  const opened = await createTrustRule();
  const encode = (text: string) => Buffer.from(text).toString("base64url");
  const part = (token: string, at: number) => token.split(".")[at] as string;
  const good = await github.sign(claimsNow());
  const at = Math.floor(clock.now / 1_000);
  const forged = (header: string, payload: string) => `${encode(header)}.${encode(payload)}.${part(good, 2)}`;
  const head = '{"alg":"RS256","kid":"first"';
  const body = `{"iss":${JSON.stringify(github.url)},"sub":"${SUBJECT}","aud":"${AUDIENCE}","iat":${at}`;
  for (const token of [
    forged(`${head},"crit":["b64"],"b64":false}`, `${body},"exp":${at + 300}}`),
    forged('{"alg":"none","alg":"RS256","kid":"first"}', `${body},"exp":${at + 300}}`),
    forged(`${head}}`, `${body},"exp":1e400}`),
    forged(`${head}}`, `${body},"exp":${at + 300},"a":${"[".repeat(3_000)}${"]".repeat(3_000)}}`),
    forged(`${head}}`, "[]"),
    forged(`${head}}`, `${body},"exp":"${at + 300}"}`),
    forged("null", "null"),
    `${part(good, 0)}.${part(good, 1)}.`,
    `${part(good, 0)}..${part(good, 2)}`,
    `${good}.`,
    `${good}.x.y`,
    `${part(good, 0)}=.${part(good, 1)}.${part(good, 2)}`,
    await github.sign(claimsNow({ sub: "x".repeat(1_025) })),
    await github.sign(claimsNow({ sub: ["a", SUBJECT] })),
    await github.sign(claimsNow({ aud: { 0: AUDIENCE } })),
    await github.sign(claimsNow(), { header: { crit: ["exp"], exp: at } }).catch(() => "x"),
  ]) {
    await refused(opened.team.id, token);
    assert.equal((await explain(opened, token)).accepted, false, token);
  }
  const payload = new TextEncoder().encode(JSON.stringify({ iss: github.url, ...claimsNow() }));
  const named = { alg: "RS256", kid: "first", b64: true, crit: ["b64"] };
  const critical = await new CompactSign(payload).setProtectedHeader(named).sign(github.key.privateKey);
  const long = await github.sign(claimsNow({ sub: "x".repeat(1_025), repo: "acme" }));
  const wide = await createTrustRule({ claims: { sub: [SUBJECT, "x**"], repo: "acme" } });
  for (const [token, why] of [
    [critical, /has crit/],
    [long, /^its sub: expected at most 255 characters, got 1025$/],
  ] as const) {
    for (const one of [opened, wide]) await refused(one.team.id, token);
    assert.match((await explain(opened, token)).checks[0].text, why);
  }
  // Other bytes of the same signature are the same token.
  const once = await createTrustRule({ singleUse: true });
  await accepted(once.team.id, good);
  for (const copy of [`${good}=`, `${good}==`, good]) await refused(once.team.id, copy);
});

test("a token that was used up is remembered until nobody accepts it, and only itself", async () => {
  const { team } = await createTrustRule({ singleUse: true, claims: { sub: "repo:acme/*:**" } });
  const at = Math.floor(clock.now / 1_000);
  const prune = async () => {
    while ((await app.runner.changes.pruneExchanges(null, clock.now)) > 0);
  };
  const short = await github.sign(claimsNow({ exp: at + 10, jti: "same" }));
  await accepted(team.id, short);
  await accepted(team.id, await github.sign(claimsNow({ exp: at + 10, jti: "same", sub: "repo:acme/site:x" })));
  const lasting = await github.sign(claimsNow({ exp: at + 9_999_999 }));
  await accepted(team.id, lasting);
  clock.advance(69_000);
  await prune();
  await refused(team.id, short);
  clock.advance(24 * HOUR_MS - 69_000 + MINUTE_MS);
  await prune();
  await refused(team.id, lasting);
  clock.advance(2 * MINUTE_MS);
  await prune();
  const left = await client.query(`select count(*) as n from identity_tokens where owner_id = '${team.id}'`);
  assert.equal(Number(left[0]?.["n"]), 0, "and then forgotten");
});

test("a rule that changed while a token was held against it gives no key for it", async () => {
  const { team, trust } = await createTrustRule();
  const token = { issuer: github.url, subject: SUBJECT, hash: "h", expiresAt: clock.now + 60_000 };
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: "r", via: "api" } as never;
  const order = { ownerId: team.id, trustId: trust.id, token, permissions: null, origin };
  const { exchangeIdentity } = app.runner.changes;
  assert.deepEqual(await exchangeIdentity({ ...order, revision: 2 }, clock.now), { refusal: "changed" });
  assert.ok("value" in (await exchangeIdentity({ ...order, revision: 1 }, clock.now)));
});

test("clocks may differ by a minute, and a token counts for a day", async () => {
  const { team } = await createTrustRule();
  const at = Math.floor(clock.now / 1_000);
  for (const claims of [
    { exp: at - 59 },
    { nbf: at + 60 },
    { iat: at + 60 },
    { iat: at - 86_400 - 60 },
    { exp: at + 9_999_999 },
    { nbf: undefined },
  ])
    await accepted(team.id, await github.sign(claimsNow(claims)));
  for (const claims of [{ exp: at - 60 }, { nbf: at + 61 }, { iat: at + 61 }, { iat: at - 86_400 - 61 }])
    await refused(team.id, await github.sign(claimsNow(claims)));
});

test("a rule without ids that meets GitHub's subject with ids is told what to add, and fits with that", async () => {
  const opened = await createTrustRule({ claims: { sub: "repo:acme/shop:environment:production" } });
  const sub = "repo:acme@1234567/shop@8901234:environment:production";
  const token = await github.sign(claimsNow({ sub }));
  await refused(opened.team.id, token);
  const hintOf = async (text: string) => (await explain(opened, text)).trusts[0].claims[0].hint;
  assert.match(await hintOf(token), new RegExp(`: add "${sub}" beside "repo:acme/shop:environment:production"\\.`));
  const forged = await github.sign(claimsNow({ sub }), { key: await createSigningKey("first") });
  assert.equal(await hintOf(forged), null, "a forged token does not say what to trust");
  const patterns = ["repo:acme/shop:environment:production", "repo:acme@*/shop@*:environment:production"];
  const changed = await request("PATCH", `/v1/identity/trusts/${opened.trust.id}${opened.scope}`, {
    token: opened.owner.token,
    body: { claims: { sub: patterns } },
  });
  assert.equal(changed.status, 200, changed.text);
  await accepted(opened.team.id, token);
  await accepted(opened.team.id, await github.sign(claimsNow({ sub: "repo:acme/shop:environment:production" })));
  await refused(opened.team.id, await github.sign(claimsNow({ sub: sub.replace("acme@", "acme-evil@") })));
});

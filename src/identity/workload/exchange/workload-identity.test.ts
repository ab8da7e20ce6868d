// Tokens of issuers on loopback are exchanged for API keys: what fits, what is refused and what a stranger learns, through HTTP.
import assert from "node:assert/strict";
import { exportSPKI, importJWK, SignJWT } from "jose";
import type { CryptoKey } from "jose";
import { test } from "node:test";
import { startOwnApp } from "../../../../test/harness/test-app.ts";
import type { Body } from "../../../../test/harness/test-app.ts";
import { AUDIENCE, SUBJECT, TYPES, openWorkload } from "../../../../test/resources/workload.ts";
import { DISCOVERY, createSigningKey } from "../../../../test/sign-in/token-issuer.ts";
import type { TokenIssuer } from "../../../../test/sign-in/token-issuer.ts";
import { HOUR_MS, MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";

const client = await startOwnApp({ egressAllow: "127.0.0.1" });
const { request, clock, readEvents, app } = client;
const world = await openWorkload(client);
const { github, startIssuer, createTrustRule, claimsNow, exchange, accepted, refused, statusWith } = world;

async function explain({ owner, scope }: { owner: { token: string }; scope: string }, token: string): Promise<Body> {
  const explained = await request("POST", `/v1/identity/explain${scope}`, { token: owner.token, body: { token } });
  assert.equal(explained.status, 200, explained.text);
  return explained.body;
}

test("a token that fits becomes an API key of 15 minutes, from a form and from JSON", async () => {
  const { team, trust, owner, scope } = await createTrustRule();
  const { status, body, headers } = await exchange({ audience: team.slug }, await github.sign(claimsNow()));
  assert.equal(status, 200);
  const { access_token: value, ...rest } = body;
  assert.match(value, /^rvk_[0-9A-Za-z]{46}$/);
  assert.deepEqual(rest, {
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 900,
    scope: "team:read secret:read",
  });
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(await statusWith(value), 200);
  assert.equal(await statusWith(value, "/v3/events"), 403);
  for (const target of [team.id, trust.id]) {
    const json = { ...TYPES, audience: target, subject_token: await github.sign(claimsNow()) };
    const made = await request("POST", "/v1/identity/exchange", { token: null, body: json });
    assert.equal(made.status, 200, made.text);
  }
  const event = (await readEvents(team.id)).find(({ type }) => type === "identity-exchanged");
  const { tokenId, ...payload } = event?.payload ?? {};
  assert.deepEqual(payload, {
    trustId: trust.id,
    trustName: "Deployments",
    issuer: github.url,
    subject: SUBJECT,
    teamId: team.id,
    expiresAt: clock.now + 15 * MINUTE_MS,
  });
  assert.ok(!JSON.stringify(event).includes(value));
  const listed = await request("GET", `/v1/api-keys${scope}`, { token: owner.token });
  assert.deepEqual(listed.body.apiKeys, []);
  for (const what of ["rotate", "adopt"]) {
    const changed = await request("POST", `/v1/api-keys/${tokenId}/${what}${scope}`, { token: owner.token });
    assert.equal(changed.status, 403, changed.text);
  }
  clock.advance(15 * MINUTE_MS);
  assert.equal(await statusWith(value), 401);
  while ((await app.runner.changes.pruneExchanges(null, clock.now)) > 0);
  const left = await client.query(`select count(*) as n from api_keys where trust_id = '${trust.id}'`);
  assert.equal(Number(left[0]?.["n"]), 0);
});

test("a scope narrows the key, and never widens it", async () => {
  const { team } = await createTrustRule();
  const narrow = await exchange({ audience: team.id, scope: "team:read" }, await github.sign(claimsNow()));
  assert.equal(narrow.body.scope, "team:read");
  assert.equal(await statusWith(narrow.body.access_token), 403);
  const wide = await exchange({ audience: team.id, scope: "secret:write" }, await github.sign(claimsNow()));
  assert.equal(wide.body.code, "identity_refused");
});

test("parameters that are wrong are named, in the words of OAuth and of the API", async () => {
  const token = await github.sign(claimsNow());
  for (const [fields, error, name] of [
    [{ audience: "acme", grant_type: "password" }, "unsupported_grant_type", "grant_type"],
    [
      { audience: "acme", subject_token_type: "urn:ietf:params:oauth:token-type:saml2" },
      "invalid_request",
      "subject_token_type",
    ],
    [{}, "invalid_request", "audience"],
    [{ audience: "acme", subject_token: "" }, "invalid_request", "subject_token"],
    [{ audience: "acme", subject_token: "x".repeat(16_385) }, "invalid_request", "subject_token"],
    [{ audience: "acme", scope: "everything" }, "invalid_scope", "scope"],
    [{ audience: "acme", actor_token: "x" }, "invalid_request", "actor_token"],
    [{ audience: "acme", resource: "https://other.example.com" }, "invalid_target", "resource"],
    [{ audience: "acme", requested_token_type: "x" }, "invalid_request", "requested_token_type"],
  ] as const) {
    const { status, body } = await exchange(fields, token);
    assert.deepEqual([status, body.error, body.code], [400, error, "bad_request"], JSON.stringify(fields));
    assert.match(body.error_description, new RegExp(`^${name}: `));
  }
  const problem = await exchange({}, token, { accept: "application/problem+json" });
  assert.equal(problem.body.code, "bad_request");
  assert.equal(problem.body.field, "audience");
  assert.equal((await exchange({}, token, { "content-type": "text/plain" })).status, 415);
});

test("whatever is wrong with a token, a stranger learns the same; its team learns what", async () => {
  const opened = await createTrustRule();
  const { team } = opened;
  const at = Math.floor(clock.now / 1_000);
  const other = await createSigningKey("first");
  for (const [token, passes, why = /./] of [
    [await github.sign(claimsNow({ aud: "https://other.example.com" })), "audience"],
    [await github.sign(claimsNow({ sub: `${SUBJECT}x` })), "claims"],
    [await github.sign(claimsNow({ exp: at - 61 })), "time"],
    [await github.sign(claimsNow({ exp: undefined })), "time"],
    [await github.sign(claimsNow({ nbf: at + 61 })), "time"],
    [await github.sign(claimsNow({ iat: at + 61 })), "time"],
    [await github.sign(claimsNow({ iat: at - 24 * 3_600 - 61 })), "time"],
    [await github.sign(claimsNow({ iat: undefined })), "time"],
    [await github.sign(claimsNow(), { key: other }), "signature"],
    [await github.sign(claimsNow(), { header: { typ: "at+jwt" } }), "form"],
    [
      await github.sign(claimsNow({ iss: `${github.url}/` })),
      "issuer",
      /Deployments has http:\S+:\d+, which differs by the slash at its end; change the issuer of the rule"$/,
    ],
    ["not.a.token", "form"],
  ] as const) {
    await refused(team.id, token);
    const explained = await explain(opened, token);
    assert.equal(explained.accepted, false, passes);
    const failing = explained.checks.filter((check: Body) => check.passes === false).map((check: Body) => check.check);
    if (passes === "audience") {
      assert.equal(explained.trusts[0].audienceFits, false);
      assert.equal(explained.audience, '"https://other.example.com"');
    } else if (passes === "claims") assert.equal(explained.trusts[0].claims[0].fits, false);
    else assert.ok(failing.includes(passes), `${passes}: ${JSON.stringify(explained)}`);
    assert.match(JSON.stringify(explained.checks.find(({ check }: Body) => check === passes)?.text ?? "."), why);
  }
  for (const target of ["nobody", "team_nobody", "trust_nobody"]) await refused(target, await github.sign(claimsNow()));
  const good = await github.sign(claimsNow());
  const explained = await explain(opened, good);
  assert.equal(explained.accepted, true);
  await accepted(team.id, good);
});

test("a public key is no shared secret, and a token without a signature is none", async () => {
  const { team } = await createTrustRule();
  const publicKey = (await importJWK(github.key.publicJwk, "RS256", { extractable: true })) as CryptoKey;
  const pem = new TextEncoder().encode(await exportSPKI(publicKey));
  for (const secret of [pem, new TextEncoder().encode(JSON.stringify(github.key.publicJwk))]) {
    const claims = { iss: github.url, ...claimsNow() };
    await refused(team.id, await new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid: "first" }).sign(secret));
  }
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  await refused(team.id, `${encode({ alg: "none" })}.${encode({ iss: github.url, ...claimsNow() })}.`);
  // A key that the token brings along.
  const own = await createSigningKey("own");
  await refused(team.id, await github.sign(claimsNow(), { key: own, header: { jwk: own.publicJwk } }));
});

test("claims of GitLab and Kubernetes, and lists, numbers and booleans, fit by path and pattern", async () => {
  const issuer = await startIssuer("ES256");
  const kubernetes = {
    aud: [AUDIENCE, "https://kubernetes.default.svc"],
    sub: "system:serviceaccount:shop:deployer",
    "kubernetes.io": { namespace: "shop", serviceaccount: { name: "deployer", uid: "1-2" } },
  };
  const gitlab = {
    sub: "project_path:acme/shop:ref_type:branch:ref:main",
    ref_protected: "true",
    groups_direct: ["acme", "ops"],
    build: 7,
    isProtected: true,
  };
  for (const [claims, wanted, fits] of [
    [
      kubernetes,
      { '["kubernetes.io","namespace"]': "shop", '["kubernetes.io","serviceaccount","name"]': "deploy*" },
      true,
    ],
    [kubernetes, { "kubernetes.io.namespace": "shop" }, true],
    [kubernetes, { "kubernetes.io.name": "shop" }, false],
    [{ "oidc.circleci.com/project-id": "p-1" }, { "oidc.circleci.com/project-id": "p-1" }, true],
    [{ "oidc.circleci.com/project-id": "p-1" }, { '["oidc.circleci.com/project-id"]': "p-1" }, true],
    [{ "oidc.circleci.com/project-id": "p-2" }, { "oidc.circleci.com/project-id": "p-1" }, false],
    [gitlab, { sub: "project_path:acme/*:ref_type:branch:ref:main", groups_direct: ["dev", "ops"] }, true],
    [gitlab, { sub: "project_path:acme/*" }, false],
    [gitlab, { sub: "project_path:acme/**", build: 7, isProtected: true, ref_protected: "true" }, true],
    [gitlab, { sub: "project_path:acme/**", build: "7" }, false],
    [gitlab, { sub: "project_path:acme/**", "sub.length": 44 }, false],
  ] as const) {
    const { team } = await createTrustRule({ claims: wanted }, issuer);
    const token = await issuer.sign(claimsNow(claims));
    await (fits ? accepted(team.id, token) : refused(team.id, token));
  }
});

test("keys are fetched once for many, and again when a new one appears, but not for every unknown one", async () => {
  const issuer = await startIssuer();
  const { team } = await createTrustRule({}, issuer);
  const tokens = await Promise.all(Array.from({ length: 8 }, () => issuer.sign(claimsNow())));
  const values = await Promise.all(tokens.map((token) => accepted(team.id, token)));
  assert.equal(new Set(values).size, 8);
  assert.deepEqual(issuer.requests, [DISCOVERY, "/keys"]);
  const next = await createSigningKey("second");
  issuer.keys = [next.publicJwk];
  const signed = () => issuer.sign(claimsNow(), { key: next });
  await refused(team.id, await signed());
  assert.equal(issuer.requests.length, 2, "the keys were fetched just now");
  clock.advance(31_000);
  await Promise.all([accepted(team.id, await signed()), accepted(team.id, await signed())]);
  assert.equal(issuer.requests.length, 4);
  await refused(team.id, await issuer.sign(claimsNow()));
  assert.equal(issuer.requests.length, 4);
});

test("an issuer that is down, slow, too large, led elsewhere or another one gives no keys", async () => {
  for (const [path, answer, why] of [
    [DISCOVERY, (_request, response) => void response.writeHead(503).end(), /status 503/],
    [DISCOVERY, (_request, response) => void response.writeHead(302, { location: "/elsewhere" }).end(), /redirects/],
    [
      DISCOVERY,
      (_request, response) => void response.end('{"issuer":"https://other.example.com"}'),
      /is of the issuer/,
    ],
    [DISCOVERY, () => undefined, /no answer within 5 s/],
    ["/keys", (_request, response) => void response.end(`{"keys":[],"x":"${"x".repeat(300_000)}"}`), /longer than/],
    ["/keys", (_request, response) => void response.end("[]"), /at most 100 keys/],
  ] as readonly (readonly [string, Parameters<TokenIssuer["answers"]["set"]>[1], RegExp])[]) {
    const issuer = await startIssuer();
    const opened = await createTrustRule({}, issuer);
    issuer.answers.set(path, answer);
    const token = await issuer.sign(claimsNow());
    const { status, body, headers } = await exchange({ audience: opened.team.id }, token);
    assert.deepEqual([status, body.error, body.code], [503, "temporarily_unavailable", "provider_unavailable"]);
    assert.ok(headers["retry-after"]);
    const { checks } = await explain(opened, token);
    assert.match(checks.find((check: Body) => check.check === "signature").text, why);
    issuer.answers.clear();
    clock.advance(11_000);
    await accepted(opened.team.id, await issuer.sign(claimsNow()));
    // What was known is used while it is not old.
    issuer.answers.set(DISCOVERY, (_request, response) => void response.writeHead(500).end());
    clock.advance(11 * MINUTE_MS);
    await accepted(opened.team.id, await issuer.sign(claimsNow()));
    clock.advance(HOUR_MS);
    assert.equal((await exchange({ audience: opened.team.id }, await issuer.sign(claimsNow()))).status, 503);
  }
});

test("nobody is asked for keys of an issuer that no rule names", async () => {
  const issuer = await startIssuer();
  const opened = await createTrustRule();
  const token = await issuer.sign(claimsNow());
  await refused(opened.team.id, token);
  assert.equal((await explain(opened, token)).accepted, false);
  assert.deepEqual(issuer.requests, []);
});

test("a token is exchanged as often as its rule allows: once, or a hundred times", async () => {
  const once = await createTrustRule({ singleUse: true });
  const token = await github.sign(claimsNow());
  const outcomes = await Promise.all(Array.from({ length: 6 }, () => exchange({ audience: once.team.id }, token)));
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), [200, 400, 400, 400, 400, 400]);
  const { accepted: isAccepted, checks, trusts } = await explain(once, token);
  const uses = {
    check: "uses",
    passes: false,
    text: `it was exchanged already, and ${trusts[0].name} exchanges a token once`,
  };
  assert.deepEqual([isAccepted, checks.at(-1), trusts[0].fits], [false, uses, true]);
  const often = await createTrustRule();
  for (let count = 0; count < 100; count++) await accepted(often.team.id, token);
  await refused(often.team.id, token);
  assert.match((await explain(often, token)).checks.at(-1).text, /exchanges a token 100 times$/);
  const another = await github.sign(claimsNow());
  assert.equal((await explain(often, another)).accepted, true);
  await accepted(often.team.id, another);
});

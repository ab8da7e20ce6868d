// Teams with trust rules, and issuers on loopback whose tokens they exchange.
import assert from "node:assert/strict";
import { after } from "node:test";
import type { TestApp, TestResponse } from "../harness/test-app.ts";
import { startTokenIssuer } from "../sign-in/token-issuer.ts";
import type { TokenIssuer } from "../sign-in/token-issuer.ts";

export const AUDIENCE = "https://reeve.example.com";
export const SUBJECT = "repo:acme/shop:ref:refs/heads/main";
export const TYPES = {
  grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
  subject_token_type: "urn:ietf:params:oauth:token-type:jwt",
};

/** What tests do in an app whose egress may reach loopback. */
export async function openWorkload({ request, clock, createUser, createTeam }: TestApp) {
  const issuers: TokenIssuer[] = [];
  after(() => Promise.all(issuers.map((issuer) => issuer.close())));

  async function startIssuer(alg?: string): Promise<TokenIssuer> {
    const issuer = await startTokenIssuer(alg);
    issuers.push(issuer);
    return issuer;
  }

  const github = await startIssuer();

  const trustRuleBody = (change: object = {}, issuer = github) => ({
    name: "Deployments",
    issuer: issuer.url,
    audience: AUDIENCE,
    claims: { sub: SUBJECT },
    role: "DEVELOPER",
    permissions: ["secret:read", "team:read"],
    ...change,
  });

  async function createTrustRule(change: object = {}, issuer = github) {
    const owner = await createUser();
    const team = await createTeam(owner);
    const body = trustRuleBody(change, issuer);
    const made = await request("POST", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token, body });
    assert.equal(made.status, 200, made.text);
    return { owner, team, trust: made.body.trust, scope: `?teamId=${team.id}` };
  }

  let counter = 0;

  function claimsNow(change: object = {}) {
    const at = Math.floor(clock.now / 1_000);
    return { sub: SUBJECT, aud: AUDIENCE, iat: at, nbf: at, exp: at + 300, jti: `jti-${counter++}`, ...change };
  }

  function exchange(
    fields: object,
    token: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<TestResponse> {
    const all = { ...TYPES, subject_token: token, ...fields };
    const body = new URLSearchParams(all).toString();
    const type = { "content-type": "application/x-www-form-urlencoded" };
    return request("POST", "/v1/identity/exchange", { token: null, body, headers: { ...type, ...headers } });
  }

  async function accepted(target: string, token: string, fields: object = {}): Promise<string> {
    const { status, text, body } = await exchange({ audience: target, ...fields }, token);
    assert.equal(status, 200, text);
    return body.access_token;
  }

  /** A refusal says the same whatever is wrong. */
  async function refused(target: string, token: string): Promise<void> {
    const { status, body } = await exchange({ audience: target }, token);
    assert.equal(status, 400);
    const { requestId, error_uri: docs, ...said } = body;
    assert.match(`${requestId} ${docs}`, /^req_\w+ (?:http:\/\/localhost:\d+)?\/docs\/errors#identity_refused$/);
    assert.deepEqual(said, {
      error: "invalid_request",
      error_description:
        "subject_token: no trust rule of the audience accepts this token; `reeve identity explain` shows its members why",
      code: "identity_refused",
    });
  }

  const statusWith = async (value: string, path = "/v2/secrets") =>
    (await request("GET", path, { token: value })).status;

  return { github, startIssuer, trustRuleBody, createTrustRule, claimsNow, exchange, accepted, refused, statusWith };
}

// `reeve identity explain` and the exchange, with ID tokens of a real OpenID Connect provider: server and command line as processes.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import * as openid from "openid-client";
import { createStorage } from "../harness/test-app.ts";
import type { Body } from "../harness/test-app.ts";
import { startIssuer } from "../sign-in/oidc-issuer.ts";
import { runReeve, serveReeve } from "./in-process.ts";
import type { Server } from "./in-process.ts";

const CALLBACK = "http://127.0.0.1:9/callback";
const storage = await createStorage();
const folder = mkdtempSync(join(tmpdir(), "reeve-identity-"));
const issuer = await startIssuer({ clientId: "jobs", redirectUris: [CALLBACK], hasFullIdToken: true });
issuer.setAccount("job-7", { groups: ["deployers", "ops"], preferred_username: "job" });

let server: Server;
before(async () => {
  server = await serveReeve({ ...storage.flags, egressAllow: "127.0.0.1" });
});
after(async () => {
  await server.stop();
  await issuer.close();
  rmSync(folder, { recursive: true });
  await storage.remove();
});

async function idToken(): Promise<string> {
  const configuration = await openid.discovery(new URL(issuer.url), "jobs", undefined, openid.None(), {
    execute: [openid.allowInsecureRequests],
  });
  const verifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: CALLBACK,
    scope: "openid groups profile",
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const callback = await issuer.signIn("job-7", url.href);
  const tokens = await openid.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier: verifier });
  return tokens.id_token as string;
}

async function call(method: string, path: string, body?: unknown, token = server.adminToken): Promise<Body> {
  const response = await fetch(server.url + path, {
    method,
    headers: { "content-type": "application/json", ...(token !== null && { authorization: `Bearer ${token}` }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  assert.equal(response.status, 200, await response.clone().text());
  return await response.json();
}

test("a provider's ID token is explained claim by claim, exchanged, and used", async () => {
  const environment = { REEVE_SERVER: server.url, REEVE_TOKEN: server.adminToken as string, XDG_CONFIG_HOME: folder };
  await call("POST", "/v1/teams", { slug: "acme" });
  const rule = { name: "Jobs", issuer: issuer.url, audience: "jobs", role: "DEVELOPER", permissions: ["secret:read"] };
  const input = join(folder, "rule.json");
  writeFileSync(input, JSON.stringify({ ...rule, claims: { sub: "job-*", groups: "admins" } }));
  const create = (...args: string[]) =>
    runReeve(["identity", "trusts", "create", "--team", "acme", "--input", input, ...args], {}, environment);
  const dry = await create("--names", "SHOP_*", "--dry-run");
  assert.equal(
    dry.stdout,
    "It may see names of secrets, and nothing else. Of secrets and variables it knows only SHOP_*. It works from any address. " +
      "It ends 15 minutes after it was issued.\n",
    dry.stderr,
  );
  const created = await create("--names", "SHOP_*", "--json", "id,names");
  const { id, names } = JSON.parse(created.stdout);
  assert.deepEqual(names, ["SHOP_*"], created.stderr);
  const token = await idToken();
  const run = (...args: string[]) => runReeve(["identity", "explain", ...args, "--team", "acme"], {}, environment);

  const misfit = await run(token);
  assert.equal(misfit.code, 4, misfit.stderr);
  assert.match(misfit.stdout, /does not exchange this token/);
  assert.match(misfit.stdout, /^ {2}ok {2}signature {2}it is signed with a key of/m);
  assert.match(misfit.stdout, /^ {2}ok {2}sub {2}expected "job-\*", got "job-7"$/m);
  assert.match(misfit.stdout, /^ {2}ok {2}aud {2}expected "jobs", got "jobs"$/m);
  assert.match(misfit.stdout, /an issued key: It may see names of secrets, .* knows only SHOP_\*\./);
  assert.match(misfit.stdout, /^ {2}NO {2}groups {2}expected "admins", got \["deployers","ops"\]$/m);

  await call("PATCH", `/v1/identity/trusts/${id}?slug=acme`, {
    claims: { sub: "job-*", groups: ["admins", "ops"] },
  });
  const fits = await runReeve(["identity", "explain", "--team", "acme", "--json"], {}, environment, {
    input: `${token}\n`,
  });
  assert.equal(fits.code, 0, fits.stderr);
  assert.equal(JSON.parse(fits.stdout).accepted, true);

  const exchanged = await fetch(`${server.url}/v1/identity/exchange`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      subject_token: token,
      audience: "acme",
    }),
  });
  const { access_token: key } = (await exchanged.json()) as Body;
  assert.deepEqual((await call("GET", "/v2/secrets", undefined, key)).secrets, []);

  const nothing = await runReeve(["identity", "explain", "--team", "acme"], {}, environment);
  assert.match(nothing.stderr, /<token>: expected a token, as an argument or on standard input/);

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1_000);
  const forged = {
    iss: "https://elsewhere.example",
    sub: "job-7",
    groups: ["ops\n  ok  groups"],
    iat: now,
    exp: now + 60,
    aud: ["elsewhere", "x".repeat(255), "y".repeat(255)],
  };
  const forge = (claims: object) => run(`${part({ alg: "RS256" })}.${part({ ...forged, ...claims })}.c2ln`);
  const unknown = await forge({});
  assert.match(
    unknown.stdout,
    /^ {2}NO {2}groups {2}expected .*, got \["ops\\n {2}ok {2}groups"\]$/m,
    "a line for each claim, whatever is in it",
  );
  assert.match(
    unknown.stdout,
    /^ {2}NO {2}aud {2}expected "jobs", got \["elsewhere","x{255}","y{10,40}…$/m,
    "a line for the audience, shortened",
  );
  for (const sub of ["job-7\n  ok  signature", "x".repeat(256)]) {
    const odd = await forge({ sub });
    assert.match(odd.stdout, /^ {2}NO {2}form {2}its sub: expected /m);
    assert.ok(!odd.stdout.includes(sub));
  }
});

// A certified client of others signs people in over sockets: with a browser on the same machine, and with a code.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as oauth from "openid-client";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { openSession } from "./open-session.ts";

const client = await startOwnApp({}, undefined, { clock: Date.now });
const { app, createUser, query } = client;
/** Read anew each time: the tests of other files may come between loading this one and running it. */
const clock = {
  get now() {
    return Date.now();
  },
  advance: () => undefined,
};

let issuer: string;
before(async () => {
  issuer = await app.server.listen({ host: "127.0.0.1", port: 0 });
});
after(() => app.server.server.closeAllConnections());

async function discover(clientId: string): Promise<oauth.Configuration> {
  return await oauth.discovery(new URL(issuer), clientId, undefined, oauth.None(), {
    algorithm: "oauth2",
    execute: [oauth.allowInsecureRequests],
  });
}

interface Step {
  readonly status: number;
  readonly location: string;
  readonly text: string;
}

/** A browser in which somebody is signed in: it keeps cookies by path, and follows nothing by itself. */
async function openBrowser(user: TestUser) {
  const { session } = await openSession({ app, clock }, user);
  const jar = new Map([["reeve", { value: session, path: "/" }]]);

  async function go(url: string, form?: Readonly<Record<string, string>>): Promise<Step> {
    const { href, pathname } = new URL(url, issuer);
    const sent = [...jar].filter(([, { path }]) => pathname.startsWith(path));
    const response = await fetch(href, {
      redirect: "manual",
      headers: {
        accept: "text/html",
        cookie: sent.map(([name, { value }]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
      },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = "", path = "/"] = /^([^=]+)=([^;]*);(?:.*?path=([^;]*))?/i.exec(line) ?? [];
      jar.set(name, { value, path });
    }
    const location = response.headers.get("location");
    return {
      status: response.status,
      location: location === null ? "" : new URL(location, href).href,
      text: await response.text(),
    };
  }

  return { go, cookies: jar };
}

const CALLBACK = "http://127.0.0.1:53871/callback";
const APPROVAL = { action: "approve", team: "", lifetime: "30" };

async function beginCode(config: oauth.Configuration, more: Readonly<Record<string, string>> = {}) {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const url = oauth.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    ...more,
  });
  return { url: url.href, checks: { pkceCodeVerifier: verifier, expectedState: state } };
}

/** From the program's link to where the browser brings the answer. */
async function approveInBrowser(user: TestUser, url: string, form = APPROVAL): Promise<URL> {
  const browser = await openBrowser(user);
  const asked = await browser.go(url);
  assert.deepEqual([asked.status, new URL(asked.location).pathname], [303, "/console/authorize"], asked.text);
  const page = await browser.go(asked.location);
  assert.match(page.text, /<h1>Give access to a program on this computer\?<\/h1>/);
  assert.match(page.text, /http:\/\/127\.0\.0\.1:53871\/callback/);
  const decided = await browser.go(asked.location, form);
  assert.equal(decided.status, 200, decided.text);
  const [, next = ""] = /href="\.\.(\/oauth\/authorize\/[\w-]+)"/.exec(decided.text) ?? [];
  const back = await browser.go(next);
  assert.equal(back.status, 303, back.text);
  assert.ok([...browser.cookies.keys()].every((name) => name !== "reeve-oauth-session"));
  return new URL(back.location);
}

test("signing out everywhere withdraws a code that a browser has brought to a program", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  const { url, checks } = await beginCode(config);
  const callback = await approveInBrowser(user, url);
  const { session } = await openSession({ app, clock }, user);
  const ended = await client.request("DELETE", "/v1/sessions", { session });
  assert.equal(ended.status, 200, ended.text);
  await assert.rejects(oauth.authorizationCodeGrant(config, callback, checks), { error: "invalid_grant" });
});

test("a program on the same machine gets a token by a code with PKCE, and gives it back", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  const { url, checks } = await beginCode(config);
  const callback = await approveInBrowser(user, url);
  assert.equal(callback.origin + callback.pathname, CALLBACK);
  const tokens = await oauth.authorizationCodeGrant(config, callback, checks);
  assert.match(tokens.access_token, /^rvt_/);
  assert.deepEqual([tokens.refresh_token, tokens.id_token, tokens.scope], [undefined, undefined, "api"]);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const current = await fetch(`${issuer}/v5/user/tokens/current`, { headers });
  const { token } = (await current.json()) as { token: { name: string; origin: string } };
  assert.deepEqual([token.name, token.origin], ["local program", "app"]);
  const { active, sub } = await oauth.tokenIntrospection(config, tokens.access_token);
  assert.deepEqual([active, sub], [true, user.id]);
  await oauth.tokenRevocation(config, tokens.access_token);
  assert.equal((await fetch(`${issuer}/v2/user`, { headers })).status, 401);

  await assert.rejects(oauth.authorizationCodeGrant(config, callback, checks), { error: "invalid_grant" });
});

test("without the verifier a code is worth nothing, and without a challenge there is none", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  const { url, checks } = await beginCode(config);
  const callback = await approveInBrowser(user, url);
  const other = { ...checks, pkceCodeVerifier: oauth.randomPKCECodeVerifier() };
  await assert.rejects(oauth.authorizationCodeGrant(config, callback, other), { error: "invalid_grant" });

  const bare = oauth.buildAuthorizationUrl(config, { redirect_uri: CALLBACK, state: "s" });
  const { status, location } = await (await openBrowser(user)).go(bare.href);
  assert.deepEqual([status, new URL(location).searchParams.get("error")], [303, "invalid_request"]);
});

test("a code is used once, and a second use takes the token back", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  const { url, checks } = await beginCode(config);
  const callback = await approveInBrowser(user, url);
  const { access_token: token } = await oauth.authorizationCodeGrant(config, callback, checks);
  await assert.rejects(oauth.authorizationCodeGrant(config, callback, checks), { error: "invalid_grant" });
  const { active } = await oauth.tokenIntrospection(config, token);
  assert.equal(active, false);
});

test("a program is answered by the query alone, as the metadata says, in every step", async () => {
  const browser = await openBrowser(await createUser());
  const config = await discover("reeve-local");
  assert.deepEqual(config.serverMetadata()["response_modes_supported"], ["query"]);
  for (const mode of ["form_post", "fragment", "web_message", "jwt", "query.jwt", "form_post.jwt", "anything"]) {
    const { url } = await beginCode(config, { response_mode: mode });
    const { status, location, text } = await browser.go(url);
    const back = new URL(location);
    assert.deepEqual([status, back.origin + back.pathname, back.hash], [303, CALLBACK, ""], `${mode}: ${text}`);
    assert.equal(back.searchParams.get("error"), "unsupported_response_mode", mode);
  }
  // Errors that come before the mode is looked at are not posted either.
  const { url } = await beginCode(config, { response_mode: "form_post", code_challenge_method: "plain" });
  const early = await browser.go(url);
  assert.deepEqual([early.status, early.text.includes("<form")], [303, false], early.text);
  const named = await beginCode(config, { response_mode: "query" });
  assert.equal(new URL((await browser.go(named.url)).location).pathname, "/console/authorize");
});

test("a refusal is brought to the program", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  const { url, checks } = await beginCode(config);
  const callback = await approveInBrowser(user, url, { ...APPROVAL, action: "refuse" });
  await assert.rejects(oauth.authorizationCodeGrant(config, callback, checks), { error: "access_denied" });
});

test("each request is approved, in the browser that it began in, and by who is signed in there", async () => {
  const [user, victim] = [await createUser(), await createUser()];
  const config = await discover("reeve-local");
  await approveInBrowser(user, (await beginCode(config)).url);
  const attacker = await openBrowser(user);
  const again = await attacker.go((await beginCode(config)).url);
  assert.equal(new URL(again.location).pathname, "/console/authorize", "what was approved before does not count");

  const other = await openBrowser(victim);
  const lured = await other.go(again.location);
  assert.deepEqual([lured.status, /Nothing to approve/.test(lured.text)], [404, true]);
  assert.equal((await other.go(again.location, APPROVAL)).status, 404);
  const next = again.location.replace("/console/authorize?request=", "/oauth/authorize/");
  assert.equal((await other.go(next)).status, 400);
  const early = await attacker.go(next);
  assert.notEqual(new URL(early.location || issuer).port, "53871", "nobody has approved");
  const stored = await query("select hash from oauth_records where model = 'Session'");
  assert.deepEqual(stored, []);
});

test("an answer goes to this machine alone", async () => {
  const user = await createUser();
  const config = await discover("reeve-local");
  for (const redirect of [
    "https://evil.example/callback",
    "http://127.0.0.1.evil.example/callback",
    "http://127.0.0.1:53871/other",
    "http://localhost:53871/callback",
  ]) {
    const { url } = await beginCode(config, { redirect_uri: redirect });
    const { status, location, text } = await (await openBrowser(user)).go(url);
    assert.deepEqual([status, location], [400, ""], redirect);
    assert.match(text, /<h1>That did not work<\/h1>[^]*redirect_uri/);
  }
  const device = await discover("reeve-cli");
  const refused = await (await openBrowser(user)).go((await beginCode(device)).url);
  assert.equal(refused.status, 400);
});

test("a code that people type works with the same client", async () => {
  const user = await createUser();
  const config = await discover("reeve-cli");
  const begun = await oauth.initiateDeviceAuthorization(config, {});
  const browser = await openBrowser(user);
  const page = await browser.go("/console/device", { ...APPROVAL, user_code: begun.user_code });
  assert.equal(page.status, 200, page.text);
  const tokens = await oauth.pollDeviceAuthorizationGrant(config, begun);
  assert.match(tokens.access_token, /^rvt_/);
});

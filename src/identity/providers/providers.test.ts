// Sign-in with real providers on loopback: the ways there and back, and what keeps others from using them.
import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import type { OidcProvider } from "./oidc-file.ts";
import { freePort } from "../../../test/harness/free-port.ts";
import { startIssuer } from "../../../test/sign-in/oidc-issuer.ts";
import type { FailureDetails } from "./provider-failure.ts";
import { openProviders } from "./providers.ts";
import type { ProviderStep } from "./providers.ts";

const PUBLIC_URL = "http://127.0.0.1:4000/reeve";
const redirectUris = ["first", "second"].map((id) => `${PUBLIC_URL}/console/sign-in/${id}/callback`);

const first = await startIssuer({ clientId: "reeve", clientSecret: "s3cret", redirectUris });
const second = await startIssuer({ clientId: "public", redirectUris, hasFullIdToken: true });
after(() => Promise.all([first.close(), second.close()]));

function provider(id: string, issuer: string, more: Partial<OidcProvider> = {}): OidcProvider {
  return {
    id,
    name: `The ${id}`,
    issuer,
    clientId: "reeve",
    clientSecret: "s3cret",
    scopes: ["openid", "email", "profile", "groups"],
    emailVerifiedClaim: "email_verified",
    signUp: false,
    domains: [],
    roles: [],
    missingClaims: "none",
    ...more,
  };
}

const FIRST = provider("first", first.url);
const SECOND = provider("second", second.url, { clientId: "public", clientSecret: null });

const failures: FailureDetails[] = [];
function open(...providers: OidcProvider[]) {
  const logFailure = (details: FailureDetails) => void failures.push(details);
  return openProviders({ providers, publicUrl: PUBLIC_URL, logFailure, logAbsence: () => assert.fail() });
}

const providers = open(FIRST, SECOND);
const ADA = { email: "ada@example.com", email_verified: true, name: "Ada", preferred_username: "ada", groups: ["dev"] };
for (const issuer of [first, second]) issuer.setAccount("ada", ADA);

/** Goes to the first provider and comes back. */
async function goTo(id: "first" | "second", subject = "ada") {
  const { url, step } = await providers.begin(id, { returnTo: "account" });
  const callback = await (id === "first" ? first : second).signIn(subject, url);
  return { step, callback };
}

function refused(text: RegExp, code = "provider_refused") {
  return (error: Error) => {
    assert.equal((error as Error & { code: string }).code, code, error.message);
    assert.match(error.message, text);
    return true;
  };
}

test("somebody is sent to the provider and comes back as who they are there", async () => {
  for (const [id, issuer] of [
    ["first", first],
    ["second", second],
  ] as const) {
    const { step, callback } = await goTo(id);
    assert.equal(callback.origin + callback.pathname, `${PUBLIC_URL}/console/sign-in/${id}/callback`);
    assert.equal(step.returnTo, "account");
    assert.deepEqual(JSON.parse(JSON.stringify(step)), step, "plain data");
    const { claims, ageMs, ...identity } = await providers.finish(id, step, callback.search);
    assert.deepEqual(identity, {
      issuer: issuer.url,
      subject: "ada",
      email: "ada@example.com",
      isEmailVerified: true,
      name: "Ada",
      username: "ada",
    });
    assert.deepEqual(claims["groups"], ["dev"]);
    assert.equal(ageMs, 0, "this provider does not say");
  }
});

test("the way there has a challenge, a state and a nonce of its own", async () => {
  const urls = [await providers.begin("first", { returnTo: "./" }), await providers.begin("first", { returnTo: "./" })];
  const [one, other] = urls.map(({ url }) => new URL(url).searchParams);
  assert.equal(one?.get("code_challenge_method"), "S256");
  assert.equal(one?.get("redirect_uri"), `${PUBLIC_URL}/console/sign-in/first/callback`);
  assert.equal(one?.has("max_age"), false);
  for (const name of ["state", "nonce", "code_challenge"]) {
    assert.equal(one?.get(name)?.length, 43, name);
    assert.notEqual(one?.get(name), other?.get(name), name);
  }
});

test("a response with another state, nonce or verifier signs nobody in", async () => {
  const { step, callback } = await goTo("first");
  const wrongState = new URLSearchParams(callback.search);
  wrongState.set("state", "other");
  await assert.rejects(providers.finish("first", step, wrongState.toString()), refused(/begin again$/));
  await assert.rejects(
    providers.finish("first", { ...step, state: "other" }, callback.search),
    refused(/begin again$/),
  );

  await assert.rejects(providers.finish("first", { ...step, nonce: "other" }, callback.search), refused(/The log/));
  assert.match(failures.at(-1)?.message ?? "", /nonce/);
  const next = await goTo("first");
  const verifier = "x".repeat(43);
  await assert.rejects(providers.finish("first", { ...next.step, verifier }, next.callback.search), refused(/The log/));
  assert.equal(failures.at(-1)?.error, "invalid_grant");
});

test("a response that was used signs nobody in again", async () => {
  const { step, callback } = await goTo("first");
  await providers.finish("first", step, callback.search);
  await assert.rejects(providers.finish("first", step, callback.search), refused(/The log/));
  assert.equal(failures.at(-1)?.error, "invalid_grant");
});

test("the response of one provider does not end the way to another", async () => {
  const toFirst = await goTo("first");
  const toSecond = await goTo("second");
  await assert.rejects(providers.finish("second", toFirst.step, toSecond.callback.search), refused(/begin again$/));
  await assert.rejects(providers.finish("second", toFirst.step, toFirst.callback.search), refused(/begin again$/));
  // Even with the right state: the parameter `iss` tells who answered.
  const mixed = new URLSearchParams(toFirst.callback.search);
  mixed.set("iss", second.url);
  await assert.rejects(providers.finish("first", toFirst.step, mixed.toString()), refused(/The log/));
  assert.match(failures.at(-1)?.message ?? "", /"iss" \(issuer\)/);
  mixed.delete("iss");
  await assert.rejects(providers.finish("first", toFirst.step, mixed.toString()), refused(/The log/));
});

test("a provider under another name than it gives itself is not believed", async () => {
  const misnamed = open(provider("first", first.url.replace("127.0.0.1", "localhost")));
  await assert.rejects(
    misnamed.begin("first", { returnTo: "./" }),
    refused(/can't be reached/, "provider_unavailable"),
  );
  assert.match(failures.at(-1)?.message ?? "", /issuer does not match/);
});

test("who cancels is told so, and never in the provider's words", async () => {
  const { url, step } = await providers.begin("first", { returnTo: "./" });
  const callback = await first.cancel(url);
  assert.match(callback.search, /error_description=%3Cb%3E/);
  await assert.rejects(providers.finish("first", step, callback.search), (error: Error) => {
    assert.match(error.message, /^The first did not sign you in: you cancelled there/);
    return !error.message.includes("<b>");
  });
  const invented = `?error=%3Cscript%3E&error_description=x&state=${step.state}&iss=${encodeURIComponent(first.url)}`;
  await assert.rejects(providers.finish("first", step, invented), (error: Error) => !error.message.includes("script"));
});

test("a wrong client secret is in the log, and the secret is not", async () => {
  const wrong = open(provider("first", first.url, { clientSecret: "hunter2" }));
  const { url, step } = await wrong.begin("first", { returnTo: "./" });
  const callback = await first.signIn("ada", url);
  await assert.rejects(wrong.finish("first", step, callback.search), refused(/The log/));
  assert.deepEqual([failures.at(-1)?.provider, failures.at(-1)?.error], ["first", "invalid_client"]);
  assert.doesNotMatch(JSON.stringify(failures), /hunter2/);
});

test("an address counts as verified only where the provider says so", async () => {
  const read = async (claims: Record<string, unknown>) => {
    first.setAccount("eve", claims);
    const { step, callback } = await goTo("first", "eve");
    const { email, isEmailVerified } = await providers.finish("first", step, callback.search);
    return [email, isEmailVerified];
  };
  assert.deepEqual(await read({ email: "eve@example.com" }), ["eve@example.com", false]);
  assert.deepEqual(await read({ email: "eve@example.com", email_verified: false }), ["eve@example.com", false]);
  assert.deepEqual(await read({ email: "eve@example.com", email_verified: "true" }), ["eve@example.com", true]);
  assert.deepEqual(await read({ email_verified: true }), [null, false]);
});

test("a provider that is down is found again when it is up", async () => {
  const port = await freePort();
  const later = open(provider("first", `http://127.0.0.1:${port}`));
  await assert.rejects(later.begin("first", { returnTo: "./" }), refused(/can't be reached/, "provider_unavailable"));
  assert.match(failures.at(-1)?.message ?? "", /ECONNREFUSED/);
  const issuer = await startIssuer({ clientId: "reeve", clientSecret: "s3cret", redirectUris, port });
  const { url, step } = await later.begin("first", { returnTo: "./" });
  issuer.setAccount("ada", ADA);
  const callback = await issuer.signIn("ada", url);
  assert.equal((await later.finish("first", step, callback.search)).subject, "ada");
  // Known by now, so that this needs no request.
  await issuer.close();
  assert.match((await later.begin("first", { returnTo: "./" })).url, new RegExp(`:${port}/`));
  const lost: ProviderStep = { ...step, state: "s" };
  const query = `?code=c&state=s&iss=${encodeURIComponent(issuer.url)}`;
  await assert.rejects(later.finish("first", lost, query), refused(/can't be reached/, "provider_unavailable"));
});

test("a provider that does not answer delays no other one", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const sockets = new Set<{ destroy(): void }>();
  const reached = new Promise<void>((resolve) => {
    silent.on("connection", (socket) => {
      sockets.add(socket);
      resolve();
    });
  });
  const both = open(provider("silent", `http://127.0.0.1:${(silent.address() as AddressInfo).port}`), SECOND);
  let isOver = false;
  const waiting = assert
    .rejects(both.begin("silent", { returnTo: "./" }), refused(/can't be reached/, "provider_unavailable"))
    .finally(() => (isOver = true));
  await reached;
  assert.match((await both.begin("second", { returnTo: "./" })).url, /^http/);
  assert.equal(isOver, false);
  for (const socket of sockets) socket.destroy();
  silent.close();
  await waiting;
});

test("a fresh proof asks the provider to see the person again", async () => {
  const { url, step } = await providers.begin("first", { returnTo: "./", maxAgeS: 600 });
  assert.equal(new URL(url).searchParams.get("max_age"), "600");
  const callback = await first.signIn("ada", url);
  assert.equal((await providers.finish("first", step, callback.search)).subject, "ada");
  const again = await providers.begin("first", { returnTo: "./", maxAgeS: 600 });
  const back = await first.signIn("ada", again.url);
  const stale = { ...again.step, maxAgeS: -3_600 };
  await assert.rejects(providers.finish("first", stale, back.search), refused(/The log/));
  assert.match(failures.at(-1)?.message ?? "", /despite max_age/);
});

test("a provider that the configuration does not have is not found", async () => {
  await assert.rejects(providers.begin("third", { returnTo: "./" }), refused(/^Provider not found$/, "not_found"));
  assert.throws(() => providers.get("third"), refused(/^Provider not found$/, "not_found"));
});

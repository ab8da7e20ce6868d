// Signing in with identities that providers have proved: whose account it is, and who gets one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startTestApp, uniqueName } from "../../../../test/harness/test-app.ts";
import { openSession } from "../../../../test/sign-in/open-session.ts";
import { ORIGIN, newIdentity, signInWithIdentity } from "../../../../test/sign-in/sign-in-with-identity.ts";
import { MINUTE_MS } from "../../../platform/kernel/scheduling/clock.ts";
import { MAX_IDENTITIES } from "./identities.ts";

const api = await startTestApp();
const { app, clock, createUser, query, readEvents, request } = api;
const { changes } = app.runner;

const whoIs = async (session: string) => (await request("GET", "/v2/user", { session })).body?.user;
const link = (userId: string, method: ReturnType<typeof newIdentity>) =>
  changes.addSignInMethod({ userId, method, sessionId: null, origin: ORIGIN }, clock.now);
const listed = async (session: string) =>
  (await request("GET", "/v1/user/identities", { session })).body.identities as Record<string, unknown>[];

function refusedAs(code: string) {
  return (error: Error & { readonly code?: string }) => error.code === code;
}

test("a provider that makes accounts makes one, with the name and the address that it knows", async () => {
  const identity = newIdentity({ username: "Ada Lovelace", name: "Ada Lovelace" });
  const { result, session } = await signInWithIdentity(api, identity);
  assert.deepEqual([result.outcome, "isNew" in result && result.isNew], ["signed-in", true]);
  const { id, email, name, username, isAdmin } = await whoIs(session);
  assert.deepEqual([email, name, username.startsWith("AdaLovelace")], [identity.email, "Ada Lovelace", true]);
  assert.equal(isAdmin, false);
  const events = await readEvents(id);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["user-created", "login-connection-linked", "sso-login", "login"],
  );
  assert.deepEqual(events[0]?.next, { username, email, name, isAdmin: false });
  assert.match(events[1]?.text ?? "", new RegExp(`connected ${email} at Keycloak$`));
  const { payload, text } = events[2] ?? {};
  assert.deepEqual([payload.provider, payload.subject], ["keycloak", identity.subject]);
  assert.equal(text, `Ada Lovelace signed in with Keycloak as ${identity.email}`);

  const again = await signInWithIdentity(api, { ...identity, email: "other@acme.example", isEmailVerified: false });
  assert.deepEqual(again.result, { outcome: "signed-in", userId: id, isNew: false });
  assert.equal((await whoIs(again.session)).email, identity.email, "the address is the account's own");
  const [one] = await listed(again.session);
  assert.deepEqual([one?.["email"], one?.["provider"]], ["other@acme.example", "keycloak"]);
});

test("names that are taken, or have another form, become names that are free", async () => {
  const user = await createUser();
  const usernameOf = async (username: string | null, email: string) =>
    (await whoIs((await signInWithIdentity(api, newIdentity({ username, email }))).session)).username as string;
  const local = uniqueName("local");
  assert.equal(await usernameOf(user.username.toUpperCase(), `${local}@acme.example`), local);
  const unnamed = uniqueName("unnamed");
  assert.equal(await usernameOf(null, `${unnamed}@acme.example`), unnamed);
  assert.match(
    await usernameOf(user.username, `${user.username}@acme.example`),
    new RegExp(`^${user.username}-\\w{6}$`),
  );
  assert.match(await usernameOf("\u674e\u5c0f\u9f99", "\u674e@acme.example"), /^user-\w{6}$/);
  const long = uniqueName("l".repeat(60));
  assert.equal((await usernameOf(long, `x${long}@acme.example`)).length, 48);
});

test("an account with the same address is not taken over: its owner signs in first, and links then", async () => {
  const user = await createUser();
  const identity = newIdentity({ email: user.email.toUpperCase() });
  const before = (await readEvents(user.id)).length;
  const { result, session } = await signInWithIdentity(api, identity);
  assert.deepEqual(result, { outcome: "link-required", isConfirmed: true, canSignUp: true });
  assert.equal(await whoIs(session), undefined);
  assert.equal((await readEvents(user.id)).length, before);

  const code = await changes.keepIdentity({ identity }, clock.now);
  const own = await openSession(api, user);
  await changes.linkKeptIdentity({ code, userId: user.id, origin: ORIGIN }, clock.now);
  assert.equal((await listed(own.session))[0]?.["subject"], identity.subject);
  const again = changes.linkKeptIdentity({ code, userId: user.id, origin: ORIGIN }, clock.now);
  await assert.rejects(again, refusedAs("link_unknown"));
  const signedIn = await signInWithIdentity(api, identity);
  assert.equal((await whoIs(signedIn.session)).id, user.id);
});

test("an address that the provider has not verified is nobody's", async () => {
  const user = await createUser();
  const claimed = await signInWithIdentity(api, newIdentity({ email: user.email, isEmailVerified: false }));
  assert.deepEqual(claimed.result, { outcome: "no-account", reason: "address-unverified" });
  const { result } = await signInWithIdentity(api, newIdentity({ email: null }));
  assert.deepEqual(result, { outcome: "no-account", reason: "address-unverified" });
});

test("an identity confirms the account's own address, where the provider has verified that one and nobody else has it", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const isConfirmed = async () => {
    const [row] = await query(`select email_confirmed_at from users where id = '${user.id}'`);
    return row?.["email_confirmed_at"] !== null;
  };
  const type = (email: string, key: string) =>
    query(
      `update users set email = '${email}', email_key = '${key}', email_confirmed_at = null where id = '${user.id}'`,
    );
  await type(other.email, user.id);
  await link(user.id, newIdentity({ email: other.email }));
  assert.equal(await isConfirmed(), false, "another account has confirmed it");
  await type(user.email, user.email);
  for (const more of [{}, { email: user.email, isEmailVerified: false }, { email: null }]) {
    await link(user.id, newIdentity(more));
    assert.equal(await isConfirmed(), false, JSON.stringify(more));
  }
  await link(user.id, newIdentity({ email: user.email.toUpperCase() }));
  assert.equal(await isConfirmed(), true);
  const event = (await readEvents(user.id)).at(-1);
  const { email } = user;
  const states = [event?.previous, event?.next];
  assert.deepEqual([event?.type, states], ["email", [false, true].map((is) => ({ email, isConfirmed: is }))]);
});

test("a provider makes accounts only where its configuration says so, and for addresses of its domains", async () => {
  const none = await signInWithIdentity(api, newIdentity(), { signUp: null });
  assert.deepEqual(none.result, { outcome: "no-account", reason: "no-sign-up" });
  const signUp = { domains: ["acme.com"] };
  for (const domain of ["other.example", "evil-acme.com", "sub.acme.com", "acme.com.evil.example"]) {
    const email = `${uniqueName("ada")}@${domain}`;
    const { result } = await signInWithIdentity(api, newIdentity({ email }), { signUp });
    assert.deepEqual(result, { outcome: "no-account", reason: "other-domain" }, domain);
  }
  const email = `${uniqueName("ada")}@acme.com`;
  assert.equal((await signInWithIdentity(api, newIdentity({ email }), { signUp })).result.outcome, "signed-in");
});

test("a suspended account is refused, and a deleted one does not come back", async () => {
  const identity = newIdentity();
  const { session } = await signInWithIdentity(api, identity);
  const path = `/v1/users/${(await whoIs(session)).id}`;
  await request("PATCH", path, { body: { suspended: true } });
  await assert.rejects(signInWithIdentity(api, identity), refusedAs("sign_in_failed"));
  assert.equal((await request("DELETE", path)).status, 200);
  // Refused while the account's rows are being deleted; afterwards nobody knows the identity.
  const later = await signInWithIdentity(api, identity, { signUp: null }).catch((error: Error) => error);
  assert.ok(later instanceof Error ? refusedAs("sign_in_failed")(later) : later.result.outcome === "no-account");
});

test("first sign-ins at nearly the same time make one account", async () => {
  for (let round = 0; round < 20; round++) {
    const identity = newIdentity();
    // A little apart, so that in some rounds one account comes to be after another sign-in has looked for it.
    const all = Array.from({ length: 4 }, async (_, index) => {
      await sleep((index * round) / 4);
      return await signInWithIdentity(api, identity);
    });
    const ids = await Promise.all(
      (await Promise.all(all)).map(async ({ session }) => (await whoIs(session)).id as string),
    );
    assert.equal(new Set(ids).size, 1);
  }
});

test("one identity signs in to one account, and an account has a bounded number of them", async () => {
  const [user, other] = [await createUser(), await createUser()];
  const identity = newIdentity();
  await link(user.id, identity);
  await link(user.id, identity);
  await assert.rejects(link(other.id, identity), refusedAs("identity_taken"));
  for (let count = 1; count < MAX_IDENTITIES; count++) await link(user.id, newIdentity());
  await assert.rejects(link(user.id, newIdentity()), refusedAs("too_many_identities"));
  const { session } = await openSession(api, user);
  assert.equal((await listed(session)).length, 20, "a page");
});

test("a connection is removed by its owner with a fresh proof, unless it is the last way to sign in", async () => {
  const [user, stranger] = [await createUser(), await createUser()];
  await link(user.id, newIdentity());
  const { session } = await openSession(api, user);
  const [one] = await listed(session);
  const path = `/v1/user/identities/${String(one?.["id"])}`;
  const last = await request("DELETE", path, { session });
  assert.deepEqual([last.status, last.body.error.code], [409, "last_sign_in_method"]);
  await link(user.id, newIdentity());
  assert.equal((await request("DELETE", path, { session: (await openSession(api, stranger)).session })).status, 404);
  clock.advance(11 * MINUTE_MS);
  assert.equal((await request("DELETE", path, { session })).body.error.code, "proof_required");
  const fresh = await openSession(api, user);
  assert.deepEqual((await request("DELETE", path, { session: fresh.session })).body, { id: one?.["id"] });
  const event = (await readEvents(user.id)).at(-1);
  assert.deepEqual([event?.type, event?.payload.identityId], ["login-connection-unlinked", one?.["id"]]);
  assert.equal((await listed(fresh.session)).length, 1);
});

test("a session by a provider is as fresh as the proof that the provider saw", async () => {
  const identity = newIdentity();
  const provedAt = clock.now - 11 * MINUTE_MS;
  const { session } = await signInWithIdentity(api, identity, { provedAt });
  const make = () => request("POST", "/v3/user/tokens", { session, body: { name: "t" } });
  assert.equal((await make()).body.error.code, "proof_required");
  const { id: userId } = await whoIs(session);
  const { body } = await request("GET", "/v1/sessions", { session });
  const sessionId = body.sessions[0].id as string;
  const prove = (proof: typeof identity) =>
    changes.proveWithIdentity({ userId, sessionId, identity: proof, origin: ORIGIN }, clock.now);
  await assert.rejects(prove(newIdentity()), refusedAs("sign_in_failed"));
  const other = newIdentity();
  await signInWithIdentity(api, other);
  await assert.rejects(prove(other), refusedAs("sign_in_failed"));
  assert.equal((await make()).body.error.code, "proof_required");
  clock.advance(MINUTE_MS);
  await prove(identity);
  assert.equal((await make()).status, 200);
  assert.equal((await listed(session))[0]?.["usedAt"], clock.now);
});

// The way in by pages: setting up, signing in and out, recovering, and what strangers can't do.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { newPasskey } from "./new-passkey.ts";
import { createVisitor } from "./visitor.ts";

const api = await startOwnApp({ console: "off" });
const { app, clock, createUser, readEvents, request } = api;
const PASSWORD = "correct horse battery staple";

async function linkOf({ id }: { readonly id: string }): Promise<string> {
  const link = await app.runner.changes.createSignInLink({ name: id }, clock.now);
  assert.ok(link);
  return link.code;
}

/** A user who has set a password by a link. */
async function newPerson(): Promise<TestUser> {
  const user = await createUser();
  const done = await createVisitor(app).post(`set-up?code=${await linkOf(user)}`, {
    name: "Ada",
    email: user.email,
    password: PASSWORD,
  });
  assert.equal(done.status, 303, done.problem ?? "");
  return user;
}

const typesOf = async ({ id }: TestUser) => (await readEvents(id)).map(({ type }) => type);

test("a set-up link names the account, takes a name, an address and a password, and signs in, once", async () => {
  const user = await createUser();
  const code = await linkOf(user);
  const visitor = createVisitor(app);
  const shown = await visitor.get(`set-up?code=${code}`);
  assert.deepEqual([shown.status, shown.title], [200, "Set up your account"]);
  const email = `${uniqueName("new")}@example.com`;
  const weak = await visitor.post(`set-up?code=${code}`, { name: "Ada", email, password: "aaaaaaaaaaaaaa" });
  assert.equal(weak.status, 400);
  assert.match(weak.problem ?? "", /^Password: .*easy to guess/);
  assert.match(weak.html, /value="Ada"/, "what was filled in is still there");
  const done = await visitor.post(`set-up?code=${code}`, { name: "Ada", email, password: PASSWORD });
  assert.deepEqual([done.status, done.location], [303, "./"]);
  assert.equal((await visitor.get("")).title, "Welcome, Ada");
  const again = await createVisitor(app).post(`set-up?code=${code}`, { name: "Eve", email, password: PASSWORD });
  assert.deepEqual([again.status, again.title], [404, "This link no longer works"]);
  assert.deepEqual((await typesOf(user)).slice(-4), ["email", "user-updated", "password-updated", "login"]);
});

test("opening a link changes nothing, so that mail scanners use none up", async () => {
  const user = await createUser();
  const code = await linkOf(user);
  const before = (await typesOf(user)).length;
  for (let opened = 0; opened < 3; opened++) {
    assert.equal((await createVisitor(app).get(`set-up?code=${code}`)).status, 200);
  }
  assert.equal((await typesOf(user)).length, before);
});

test("a newer link replaces an earlier one, and each ends after an hour", async () => {
  const user = await createUser();
  const earlier = await linkOf(user);
  const later = await linkOf(user);
  assert.equal((await createVisitor(app).get(`set-up?code=${earlier}`)).status, 404);
  clock.advance(HOUR_MS);
  assert.equal((await createVisitor(app).get(`set-up?code=${later}`)).status, 404);
  assert.equal((await createVisitor(app).get("set-up?code=")).status, 404);
});

test("a password signs in by username or address, in any case, and a sign-in gets new cookies each time", async () => {
  const user = await newPerson();
  const visitor = createVisitor(app);
  visitor.cookies.set("reeve", "a".repeat(43));
  for (const login of [user.username, user.email.toUpperCase()]) {
    const before = visitor.cookies.get("reeve");
    const done = await visitor.post("sign-in", { login, password: PASSWORD });
    assert.deepEqual([done.status, done.location], [303, "./"]);
    assert.notEqual(visitor.cookies.get("reeve"), before, "a session that somebody planted is not taken over");
    const cookies = [done.headers["set-cookie"]].flat().join("\n");
    assert.match(cookies, /^reeve=\w{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/m);
  }
  const { sessions } = (await request("GET", "/v1/sessions", { token: user.token })).body;
  assert.deepEqual(
    [sessions[0].device, sessions[0].method, sessions[0].ip],
    ["Firefox on Linux", "password", "192.0.2.1"],
  );
});

test("a wrong password and an account that does not exist get the same response", async () => {
  const user = await newPerson();
  const answers = [];
  for (const login of [user.username, uniqueName("nobody"), "no-password@example.com"]) {
    const { status, problem, headers } = await createVisitor(app).post("sign-in", { login, password: "wrong" });
    answers.push({ status, problem, cookie: headers["set-cookie"] });
  }
  assert.deepEqual(new Set(answers.map((one) => JSON.stringify(one))).size, 1, JSON.stringify(answers));
  assert.deepEqual([answers[0]?.status, answers[0]?.problem], [401, "Password: The name or the password is wrong"]);
  const events = await readEvents(user.id);
  assert.equal(events.at(-1)?.type, "login-failed");
  assert.equal(events.at(-1)?.principalId, "system", "nobody knows that it was the owner");
});

test("guesses are paused for longer and longer, and pause neither others nor the owner's own browser", async () => {
  const [user, other] = [await newPerson(), await newPerson()];
  const own = createVisitor(app, "198.51.100.7");
  await own.post("sign-in", { login: user.username, password: PASSWORD });
  await own.post("sign-out", {});
  const guesser = createVisitor(app, "203.0.113.9");
  const guess = (login: string) => guesser.post("sign-in", { login, password: "wrong" });
  const problems = [];
  for (let count = 0; count < 6; count++) problems.push((await guess(user.username)).problem);
  assert.deepEqual(problems.slice(0, 5), Array.from({ length: 5 }).fill("Password: The name or the password is wrong"));
  assert.equal(problems[5], "Too many attempts: try again in 1 s");
  clock.advance(SECOND_MS);
  await guess(user.username);
  assert.equal((await guess(user.username)).problem, "Too many attempts: try again in 2 s");
  const right = { login: user.username, password: PASSWORD };
  assert.equal(
    (await createVisitor(app, "203.0.113.10").post("sign-in", right)).status,
    429,
    "from another address too",
  );
  assert.equal((await own.post("sign-in", right)).status, 303, "the owner's browser is known");
  const others = await createVisitor(app, "203.0.113.11").post("sign-in", {
    login: other.username,
    password: PASSWORD,
  });
  assert.equal(others.status, 303);
  clock.advance(DAY_MS);
  assert.equal((await createVisitor(app, "203.0.113.10").post("sign-in", right)).status, 303);
});

test("an address that guesses at many accounts is paused for all of them", async () => {
  const user = await newPerson();
  const guesser = createVisitor(app, "2001:db8:1:2::1");
  let status = 0;
  for (let count = 0; count < 60 && status !== 429; count++) {
    ({ status } = await guesser.post("sign-in", { login: `nobody-${count}`, password: "wrong" }));
  }
  assert.equal(status, 429);
  const right = { login: user.username, password: PASSWORD };
  assert.equal((await createVisitor(app, "2001:db8:1:2:ffff::9").post("sign-in", right)).status, 429, "the same /64");
  assert.equal((await createVisitor(app, "2001:db8:1:3::1").post("sign-in", right)).status, 303);
});

test("a form of another site is refused and changes nothing", async () => {
  const user = await newPerson();
  const form = { login: user.username, password: PASSWORD };
  const refused: Record<string, string>[] = [
    {},
    { origin: "https://evil.test" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const headers of refused) {
    const visitor = createVisitor(app);
    const { status, problem } = await visitor.post("sign-in", form, headers);
    assert.equal(status, 403, JSON.stringify(headers));
    assert.match(problem ?? "", /another site/);
    assert.equal(visitor.cookies.size, 0);
  }
});

test("after signing in, only pages of the console follow", async () => {
  const user = await newPerson();
  const form = { login: user.username, password: PASSWORD };
  const cases: [string, string][] = [
    ["account", "account"],
    ["invitation?code=abc", "invitation?code=abc"],
    ["https://evil.test", "./"],
    ["//evil.test", "./"],
    ["/\\evil.test", "./"],
    ["javascript:alert(1)", "./"],
    ["../v2/user", "./"],
    ["account%0d%0aset-cookie: a=b", "./"],
  ];
  for (const [asked, location] of cases) {
    const done = await createVisitor(app).post(`sign-in?return=${encodeURIComponent(asked)}`, form);
    assert.deepEqual([done.status, done.location], [303, location], asked);
  }
});

test("pages need a session, come back after signing in, and are kept by no cache and framed by no site", async () => {
  const visitor = createVisitor(app);
  const sent = await visitor.get("account");
  assert.deepEqual([sent.status, sent.location], [303, "sign-in?return=account"]);
  assert.equal((await visitor.get("")).location, "sign-in");
  const { headers } = await visitor.get("sign-in");
  assert.equal(headers["cache-control"], "no-store");
  assert.equal(headers["referrer-policy"], "no-referrer");
  assert.match(headers["content-security-policy"] as string, /default-src 'none'.*frame-ancestors 'none'/);
});

test("signing out ends the session in the store", async () => {
  const user = await newPerson();
  const visitor = createVisitor(app);
  await visitor.post("sign-in", { login: user.username, password: PASSWORD });
  const session = visitor.cookies.get("reeve") as string;
  assert.equal((await request("GET", "/v2/user", { session })).status, 200);
  assert.equal((await visitor.post("sign-out", {})).location, "sign-in");
  assert.equal(visitor.cookies.has("reeve"), false);
  assert.equal((await request("GET", "/v2/user", { session })).status, 401);
});

test("a link of the command line signs in, and a new password signs out everywhere else", async () => {
  const user = await newPerson();
  const elsewhere = createVisitor(app);
  await elsewhere.post("sign-in", { login: user.username, password: PASSWORD });
  const kept = createVisitor(app);
  assert.equal((await kept.get(`recover?code=${await linkOf(user)}`)).title, `Sign in as ${user.username}`);
  assert.equal((await kept.post(`recover?code=${await linkOf(user)}`, { password: "" })).status, 303);
  assert.equal((await elsewhere.get("")).status, 200, "nothing was changed");
  const changed = "another horse battery staple";
  assert.equal(
    (await createVisitor(app).post(`recover?code=${await linkOf(user)}`, { password: changed })).status,
    303,
  );
  for (const visitor of [elsewhere, kept]) assert.equal((await visitor.get("")).status, 303);
  const login = user.username;
  assert.equal((await createVisitor(app).post("sign-in", { login, password: PASSWORD })).status, 401);
  assert.equal((await createVisitor(app).post("sign-in", { login, password: changed })).status, 303);
});

test("recovery codes are shown once, sign in once each, and need a fresh proof to be made", async () => {
  const user = await newPerson();
  const visitor = createVisitor(app);
  await visitor.post("sign-in", { login: user.username, password: PASSWORD });
  clock.advance(10 * MINUTE_MS);
  const asked = await visitor.post("account", { action: "new-codes" });
  assert.equal(asked.location, "prove?return=account");
  assert.equal((await visitor.post("prove?return=account", { password: "wrong" })).status, 401);
  assert.equal((await visitor.post("prove?return=account", { password: PASSWORD })).location, "account");
  const made = await visitor.post("account", { action: "new-codes" });
  const codes = /<pre[^>]*>([^<]*)<\/pre>/.exec(made.html)?.[1]?.split("\n") ?? [];
  assert.equal(new Set(codes).size, 10);
  const [code = ""] = codes;
  const form = { login: user.username, code: code.toUpperCase().replaceAll("-", " ") };
  assert.equal((await createVisitor(app).post("recover", form)).location, "account");
  assert.equal((await createVisitor(app).post("recover", form)).status, 401, "it was used");
  const absent = await createVisitor(app).post("recover", { ...form, login: uniqueName("nobody") });
  assert.deepEqual(
    [absent.status, absent.problem],
    [401, "Recovery code: The name or the code is wrong, or the code was used"],
  );
  const { remaining } = (
    await request("GET", "/v1/user/recovery-codes", { session: visitor.cookies.get("reeve") as string })
  ).body;
  assert.equal(remaining, 9);
});

test("a person who guesses passwords does not stop a recovery code", async () => {
  const user = await newPerson();
  const visitor = createVisitor(app);
  await visitor.post("sign-in", { login: user.username, password: PASSWORD });
  const made = await visitor.post("account", { action: "new-codes" });
  const [code = ""] = /<pre[^>]*>([^<]*)<\/pre>/.exec(made.html)?.[1]?.split("\n") ?? [];
  const guess = () => createVisitor(app).post("sign-in", { login: user.username, password: "wrong" });
  for (let count = 0; count < 5; count++) assert.equal((await guess()).status, 401);
  assert.equal((await guess()).status, 429);
  assert.equal((await createVisitor(app).post("recover", { login: user.username, code })).location, "account");
});

test("a passkey that is not answered as it should is an event of its account", async () => {
  const user = await createUser();
  const passkey = { ...(await newPasskey(api, user.id)), credentialId: Buffer.from(user.id).toString("base64url") };
  const use = { code: await linkOf(user), account: { name: null, email: user.email }, method: passkey };
  const origin = { ip: "192.0.2.1", userAgent: null, requestId: "req_test", via: "http" } as const;
  await app.runner.changes.useSignInLink({ ...use, sessionHash: user.id, deviceHash: user.id, origin }, clock.now);
  const visitor = createVisitor(app);
  const { challenge } = JSON.parse((await visitor.post("passkey-options", {})).html);
  const { credentialId: id } = passkey;
  const prove = async (answered: string) => {
    const data = JSON.stringify({ type: "webauthn.get", challenge: answered, origin: "http://localhost" });
    const clientDataJSON = Buffer.from(data).toString("base64url");
    const response = { clientDataJSON, authenticatorData: "AAAA", signature: "AAAA" };
    const proof = JSON.stringify({ id, rawId: id, type: "public-key", response, clientExtensionResults: {} });
    assert.equal((await visitor.post("sign-in", { passkey: proof })).status, 401);
  };
  await prove("made-up");
  assert.notEqual((await typesOf(user)).at(-1), "login-failed", "nobody was asked for that");
  await prove(challenge);
  const failed = (await readEvents(user.id)).at(-1);
  assert.deepEqual([failed?.type, failed?.payload], ["login-failed", { uid: user.id, method: "passkey" }]);
});

test("the last way to sign in is not removed", async () => {
  const user = await newPerson();
  const visitor = createVisitor(app);
  await visitor.post("sign-in", { login: user.username, password: PASSWORD });
  const refused = await visitor.post("account", { action: "delete-password" });
  assert.deepEqual(
    [refused.status, refused.problem],
    [409, "This is the last way to sign in to this account: add another one first"],
  );
  assert.equal((await createVisitor(app).post("sign-in", { login: user.username, password: PASSWORD })).status, 303);
});

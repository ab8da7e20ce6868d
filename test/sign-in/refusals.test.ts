// What people see who are refused for a while: the form again, with a sentence that says when to try again, and `Retry-After`.
import assert from "node:assert/strict";
import { test } from "node:test";
import { DAY_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { inject } from "../harness/inject.ts";
import { startOwnApp, uniqueName } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { createOAuthClient } from "./oauth-client.ts";
import { openSession } from "./open-session.ts";
import { createVisitor } from "./visitor.ts";

const mailServer = await startMailServer();
const api = await startOwnApp({ smtpUrl: mailServer.url, publicUrl: "http://localhost:4000" });
const { app, clock, createUser, query } = api;

test("a pause of guesses is in seconds, and in minutes where it is long", async () => {
  const login = uniqueName("ada");
  const guess = () => createVisitor(app).post("sign-in", { login, password: "wrong" });
  for (let count = 0; count < 5; count++) assert.equal((await guess()).status, 401);
  const short = await guess();
  assert.deepEqual([short.status, short.headers["retry-after"]], [429, "1"]);
  assert.deepEqual([short.title, short.problem], ["Sign in", "Too many attempts: try again in 1 s"]);
  await query(
    `update sign_in_failures set paused_until = ${clock.now + 15 * MINUTE_MS} where subject like 'account:%'`,
  );
  const long = await guess();
  assert.deepEqual([long.headers["retry-after"], long.problem], ["900", "Too many attempts: try again in 15 minutes"]);
  assert.match(long.html, new RegExp(`value="${login}"`), "what was typed in is still there");
});

test("a person who types wrong codes of programs is told when to go on", async () => {
  const { session } = await openSession(api, await createUser());
  const { submit } = createOAuthClient(api);
  for (let count = 0; count < 5; count++) await submit(session, { action: "find", user_code: "BBBB-BBBB" });
  const refused = await submit(session, { action: "find", user_code: "BBBB-BBBB" });
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "1"]);
  assert.match(refused.text, /role="alert"[^]*?Too many wrong codes: try again in 1 s</);
});

test("too many mails are refused until the day is over", async () => {
  const visitor = createVisitor(app, "203.0.113.20");
  const ask = () => visitor.post("recover", { action: "mail", login: "nobody" });
  await ask();
  await query("update mail_counts set mails = 100");
  const refused = await ask();
  assert.deepEqual(
    [refused.status, refused.problem],
    [429, "Too many mails were asked for from your network: try again after 2030-01-02 00:00 UTC"],
  );
  assert.equal(refused.headers["retry-after"], String(DAY_MS / 1_000));
  assert.equal(refused.title, "I can't sign in");
});

test("an address submits so many forms a minute without a session, and a program with a wrong token takes none of them", async () => {
  const limited = await startOwnApp({ rateLimit: "20" });
  const visitor = createVisitor(limited.app, "203.0.113.30");
  const options = () => visitor.post("passkey-options", {});
  for (let count = 0; count < 30; count++)
    await limited.request("GET", "/v2/user", { token: "wrong", ip: "203.0.113.30" });
  for (let count = 0; count < 20; count++) assert.equal((await options()).status, 200);
  const refused = await options();
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [429, "60"]);
  const [stored] = await limited.query("select count(*) as codes from one_time_codes");
  assert.equal(Number(stored?.["codes"]), 21, "one is that of the first administrator's link");
  const form = await visitor.post("sign-in", { login: "ada", password: "x" });
  assert.match(form.problem ?? "", /^Too many requests: forms of an address without a session have 20 a minute/);
  assert.equal((await createVisitor(limited.app, "203.0.113.31").post("passkey-options", {})).status, 200);
  assert.equal((await visitor.get("sign-in")).status, 200);
});

test("when too many people sign in at once, some are shown the form again, and nobody JSON", async () => {
  const people = Array.from({ length: 90 }, (_, index) => createVisitor(app, `198.51.100.${index + 1}`));
  const asked = people.map((visitor, index) =>
    visitor.post("sign-in", { login: `nobody-${index}`, password: "wrong" }),
  );
  await waitFor("the metric of waiting passwords", async () => {
    const { text } = await api.request("GET", "/metrics", { token: null });
    return /^reeve_sign_in_passwords_waiting [1-9]/m.exec(text) ?? undefined;
  });
  const answers = await Promise.all(asked);
  const refused = answers.filter(({ status }) => status === 503);
  assert.ok(refused.length > 0, "the queue took all of them");
  assert.equal(answers.length, refused.length + answers.filter(({ status }) => status === 401).length);
  for (const { title, problem, headers, html } of refused) {
    const seconds = String(headers["retry-after"]);
    assert.deepEqual(
      [title, problem],
      ["Sign in", `Too many people sign in at the same time; try again in ${seconds} s`],
    );
    assert.match(html, /value="nobody-\d+"/);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
  }
});

test("a refusal that no form can show is a page too, with a way on and the headers of pages", async () => {
  const visitor = createVisitor(app);
  const missing = await visitor.get("sign-in/nowhere");
  assert.deepEqual([missing.status, missing.title], [404, "That did not work"]);
  assert.match(missing.html, /href="\.\.\/\.\/"/);
  const wrong = await visitor.post(
    "sign-in",
    {},
    { "content-type": "application/json", "sec-fetch-site": "same-origin" },
  );
  assert.deepEqual([wrong.status, wrong.title], [415, "That did not work"]);
  for (const { headers } of [missing, wrong]) {
    assert.match(String(headers["content-security-policy"]), /default-src 'none'/);
    assert.equal(headers["content-type"], "text/html; charset=utf-8");
  }
});

test("a form that is too large, or not UTF-8, says what is expected, and repeats nothing that was typed in", async () => {
  const post = (payload: string | Buffer) =>
    inject(app, {
      method: "POST",
      url: "/console/sign-in",
      headers: { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
      payload,
    });
  const tooLarge = await post(`login=${"a".repeat(65_536)}`);
  assert.equal(tooLarge.statusCode, 413);
  assert.match(tooLarge.body, /body: expected at most 64 KiB</);
  const encoded = "login=ada&password=swordfish%E9";
  const raw = "login=ada&password=swordfish\xE9";
  for (const latin1 of [encoded, Buffer.from(raw, "latin1"), Buffer.from(`${raw}&login=\xC3\xA9`, "latin1")]) {
    const { statusCode, body } = await post(latin1);
    assert.equal(statusCode, 400);
    assert.match(body, /password: expected percent-encoded UTF-8</);
    assert.doesNotMatch(body, /swordfish/);
  }
  const unnamed = await post(Buffer.from("login=ada&\xE9=1", "latin1"));
  assert.match(unnamed.body, /body: expected percent-encoded UTF-8</);
  // Bytes of UTF-8 without percent-encoding are text.
  assert.equal((await post(Buffer.from("login=José&password=swordfish"))).statusCode, 401);
});

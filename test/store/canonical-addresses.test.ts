// An upgrade brings the addresses of a store to their one form, and leaves accounts as they are that are one mailbox then.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { examine } from "../../src/cli/bodies/doctor.ts";
import { createSecretCode } from "../../src/platform/kernel/credential.ts";
import { createPasswordHashing } from "../../src/identity/sign-in/password-hashing.ts";
import { canonicalAddresses } from "../../src/platform/store/migrations/0031-canonical-addresses.ts";
import { send, startOwnApp, uniqueName } from "../harness/test-app.ts";
import type { TestUser } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { startMailServer } from "../mail/mail-server.ts";
import { openTeam } from "../resources/teams.ts";
import { createVisitor } from "../sign-in/visitor.ts";

const mailServer = await startMailServer();
const api = await startOwnApp({ smtpUrl: mailServer.url });
const { clock, createUser, query, settings } = api;
const PASSWORD = "purple elephant dance slowly";
const ORIGIN = { ip: "192.0.2.200", userAgent: null, requestId: "req_test", via: "http" } as const;

/** An account as an older version stored it; `key`: of an address that was taken, its own id. */
async function plant(email: string, key: (id: string) => string = () => email.toLowerCase()): Promise<TestUser> {
  const user = await createUser();
  const { changes } = api.app.runner;
  const link = await changes.createSignInLink({ name: user.id }, clock.now);
  const method = { kind: "password", hash: await createPasswordHashing().hash(PASSWORD) } as const;
  const cookies = { sessionHash: createSecretCode().hash, deviceHash: createSecretCode().hash };
  await changes.useSignInLink({ code: link?.code as string, method, ...cookies, origin: ORIGIN }, clock.now);
  await query(`update users set email = '${email}', email_key = '${key(user.id)}' where id = '${user.id}'`);
  return { ...user, email };
}

const mixed = await plant("Mixed@Example.COM");
const umlaut = await plant("Ümlaut@münchen.example");
const decoded = await plant("idn@münchen.example");
const typed = await plant("idn@MÜNCHEN.example", (id) => id);
const one = await plant("pair@xn--mnchen-3ya.example");
const other = await plant("pair@münchen.example");
const twins = [await plant("twin@ａcme.com"), await plant("Twin@acme。com")];
const boss = await plant("<boss>@acme.com");

const team = await openTeam(api, await createUser());
for (const user of [decoded, other]) await team.add(user);
const guest = `${uniqueName("guest")}@xn--mnchen-3ya.example`;
const spelled = guest.replace("xn--mnchen-3ya", "münchen");
const invited = await team.invite({ email: guest });
await waitFor("the mail", () => mailServer.received.find(({ recipients }) => recipients[0] === guest));
await query(`update invites set email = '${spelled}', email_key = '${spelled}' where email = '${guest}'`);
const [linkKey] = await query("select secret from mail_link_keys");
const stopped = createHmac("sha256", String(linkKey?.["secret"])).update(`recipient\0${spelled}`).digest("base64url");
await query(
  `insert into mail_stops (team_id, recipient, created_at) values ('${team.id}', '${stopped.slice(0, 22)}', ${clock.now})`,
);
await api.app.close();
const before = await query("select id, email, email_key, revision from users order by id");
await api.withStore((store) => store.transaction(async (tx) => await canonicalAddresses.fill?.(tx)));
const app = await api.startAnother();
const after = await query("select id, email, email_key, revision from users order by id");

const rowOf = (rows: readonly Record<string, unknown>[], { id }: TestUser) => rows.find((row) => row["id"] === id);
const keysOf = (user: TestUser) => {
  const { email, email_key: key } = rowOf(after, user) ?? {};
  return [email, key];
};
const signIn = (login: string) => createVisitor(app).post("sign-in", { login, password: PASSWORD });
/** Who signs in with this name. */
async function whoSignsIn(login: string) {
  const visitor = createVisitor(app);
  const done = await visitor.post("sign-in", { login, password: PASSWORD });
  if (done.status !== 303) return done.status;
  const session = visitor.cookies.get("reeve") ?? "";
  return (await send(app, "GET", "/v2/user", { session })).body.user.id;
}

test("addresses get their one form, and find their accounts by each spelling", async () => {
  assert.deepEqual(keysOf(mixed), ["mixed@example.com", "mixed@example.com"]);
  assert.deepEqual(keysOf(umlaut), ["ümlaut@xn--mnchen-3ya.example", "ümlaut@xn--mnchen-3ya.example"]);
  assert.deepEqual(keysOf(decoded), ["idn@xn--mnchen-3ya.example", "idn@xn--mnchen-3ya.example"]);
  assert.deepEqual(keysOf(typed), ["idn@xn--mnchen-3ya.example", typed.id]);
  for (const login of ["idn@münchen.example", "IDN@xn--mnchen-3ya.example", decoded.username]) {
    assert.equal((await signIn(login)).status, 303, login);
  }
  const { members } = (
    await send(app, "GET", `/v3/teams/${team.id}/members?search=idn@xn`, { token: team.owner.token })
  ).body;
  assert.deepEqual(
    members.map(({ uid }: { readonly uid: string }) => uid),
    [decoded.id],
  );
  const revisions = [before, after].map((rows) => Number(rowOf(rows, decoded)?.["revision"]));
  assert.equal(revisions[1], (revisions[0] as number) + 1, "clients see that it has changed");
});

test("accounts that are one mailbox then are not changed, and none is taken for another", async () => {
  for (const user of [one, other, ...twins, boss])
    assert.deepEqual(rowOf(after, user), rowOf(before, user), user.email);
  for (const user of [one, other, ...twins, boss]) assert.equal((await signIn(user.username)).status, 303, user.email);
});

test("an address signs in to the account that has it in its one form alone, and mail goes to that form", async () => {
  assert.equal(await whoSignsIn("pair@münchen.example"), one.id);
  assert.equal(await whoSignsIn("pair@xn--mnchen-3ya.example"), one.id);
  assert.equal(await whoSignsIn("twin@ａcme.com"), 401);
  assert.equal(await whoSignsIn("<Boss>@acme.com"), boss.id);
  assert.equal(await whoSignsIn("boss@acme.com"), 401);
  for (const { username } of [boss, other]) {
    assert.equal((await createVisitor(app).post("recover", { action: "mail", login: username })).status, 303);
  }
  const recovers = ({ text }: { readonly text: string }) => text.includes("/console/recover?");
  const mail = await waitFor("the mail", () => mailServer.received.find(recovers));
  assert.deepEqual(mail.recipients, [one.email]);
  assert.match(mail.text, new RegExp(other.username));
  await waitFor("the queue", async () => (await query("select 1 from mails")).length === 0 || undefined);
  assert.equal(mailServer.received.filter(recovers).length, 1);
});

test("doctor lists them, and what is no address, until they have been changed", async () => {
  const find = async () => (await examine(settings)).find(({ check }) => check === "addresses");
  const found = await find();
  assert.equal(found?.status, "warning");
  const nameOf = ({ username, email }: TestUser) => `${username} <${email}>`;
  for (const part of [
    `pair@xn--mnchen-3ya.example: ${nameOf(one)} and ${nameOf(other)}`,
    `no e-mail address: ${nameOf(boss)}`,
  ]) {
    assert.ok(found.detail.includes(part), found.detail);
  }
  assert.match(found.detail, /twin@acme\.com: /);
  for (const twin of twins) assert.ok(found.detail.includes(nameOf(twin)), found.detail);
  for (const user of [mixed, umlaut, decoded, typed]) assert.equal(found.detail.includes(user.username), false);
  for (const user of [other, ...twins.slice(1), boss]) {
    const body = { email: `${user.username}@example.com` };
    assert.equal((await send(app, "PATCH", `/v1/users/${user.id}`, { token: api.admin.token, body })).status, 200);
  }
  const left = await find();
  assert.ok(left?.detail.includes("twin@acme.com"), "its address does not find it yet");
  const body = { email: "twin@acme.com" };
  const mended = await send(app, "PATCH", `/v1/users/${twins[0]?.id}`, { token: api.admin.token, body });
  assert.equal(mended.status, 200, mended.text);
  assert.deepEqual(await find(), { check: "addresses", status: "ok", detail: "each mailbox is one account's" });
});

test("invitations and stopped mail are converted, too", async () => {
  const [invite] = await query(`select email, email_key from invites where id = '${invited.body.uid}'`);
  assert.deepEqual([invite?.["email"], invite?.["email_key"]], [guest, guest]);
  const token = team.owner.token;
  assert.equal(
    (await send(app, "POST", `/v1/teams/${team.id}/invites/${invited.body.uid}/resend`, { token })).status,
    200,
  );
  const sentinel = await send(app, "POST", `/v1/teams/${team.id}/members`, { token, body: { email: "last@acme.com" } });
  assert.equal(sentinel.status, 200);
  await waitFor("a later mail", () => mailServer.received.find(({ recipients }) => recipients[0] === "last@acme.com"));
  await waitFor("the queue", async () => (await query("select 1 from mails")).length === 0 || undefined);
  assert.equal(mailServer.received.filter(({ recipients }) => recipients[0] === guest).length, 1);
});

// While little disk space is left: what protects is accepted, and what strangers can cause is refused.
import assert from "node:assert/strict";
import { pino } from "pino";
import { test } from "node:test";
import { startMailServer } from "../../../../test/mail/mail-server.ts";
import { openSession } from "../../../../test/sign-in/open-session.ts";
import { sessionAsToken } from "../../../../test/sign-in/session-token.ts";
import { createVisitor } from "../../../../test/sign-in/visitor.ts";
import { send, startOwnApp } from "../../../../test/harness/test-app.ts";
import { createKey } from "../../../../test/resources/api-keys.ts";
import { createDiskReserve } from "./disk-reserve.ts";

/** MiB: no disk has as much, so that less than half of it is free. */
const RESERVE = "1000000";
const PASSWORD = "correct horse battery staple";

const mailServer = await startMailServer();
const settings = { smtpUrl: mailServer.url, publicUrl: "http://localhost", signUp: "open" };
const api = await startOwnApp(settings);
const scarce = await api.startAnother({ ...settings, diskReserve: RESERVE });
const user = await api.createUser();
const own = { token: user.token };
const admin = { token: api.admin.token };
const RULE = {
  name: "Admin",
  active: true,
  conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: "/admin" }] }],
};
const denying = { ...RULE, action: { mitigate: { action: "deny" } } };
const logging = { ...RULE, action: { mitigate: { action: "log" } } };
const FIREWALL = "/v1/firewalls?projectId=shop";
const OTHER_FIREWALL = "/v1/firewalls?projectId=blog";
const ENVIRONMENTS = "/v1/environments/shop";

const before = await api.request("PUT", FIREWALL, { ...own, body: { firewallEnabled: true, rules: [denying] } });
const ruleId = before.body.active?.rules[0].id ?? before.body.rules[0].id;
const filled = { environments: { production: { set: { OLD: { value: "x" }, OTHER: { value: "x" } } } } };
assert.equal((await api.request("PATCH", ENVIRONMENTS, { ...own, body: filled })).status, 200);
const key = await createKey(api, user.token);
const session = sessionAsToken((await openSession(api, user)).session);

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly token?: string;
}

const change = (action: string, value: unknown, id: string | null = null): Call => ({
  method: "PATCH",
  path: FIREWALL,
  body: { action, id, ...(value === undefined ? {} : { value }) },
});
const attackMode = (attackModeEnabled: boolean): Call => ({
  method: "POST",
  path: "/v1/attack-challenge-mode",
  body: { projectId: "shop", attackModeEnabled },
});

const ACCEPTED: Readonly<Record<string, Call>> = {
  "a rule that denies": change("rules.insert", { ...denying, name: "Other" }),
  "an address that is denied": change("ip.insert", { hostname: "*", ip: "192.0.2.7", action: "deny" }),
  "a configuration that denies": {
    method: "PUT",
    path: OTHER_FIREWALL,
    body: { firewallEnabled: true, rules: [logging, { ...denying, name: "Denies" }] },
  },
  "a configuration that denies an address": {
    method: "PUT",
    path: OTHER_FIREWALL,
    body: { firewallEnabled: true, ips: [{ hostname: "*", ip: "192.0.2.9", action: "deny" }] },
  },
  "the removal of a rule": change("rules.remove", undefined, ruleId),
  "attack mode on": attackMode(true),
  "the removal of an entry": {
    method: "PATCH",
    path: ENVIRONMENTS,
    body: { environments: { production: { remove: ["OLD"] } } },
  },
  "a new value of a key": { method: "POST", path: `/v1/api-keys/${key.body.apiKey.id}/rotate`, body: {} },
  "a new password": { method: "PUT", path: "/v1/user/password", body: { password: PASSWORD }, token: session },
  "signing out everywhere": { method: "DELETE", path: "/v1/sessions", token: session },
  "the end of a token": { method: "DELETE", path: "/v3/user/tokens/current" },
  "a suspension": { method: "PATCH", path: `/v1/users/${user.id}`, body: { suspended: true }, ...admin },
};

const REFUSED: Readonly<Record<string, Call>> = {
  "a rule that logs": change("rules.insert", logging),
  "a configuration that logs": {
    method: "PUT",
    path: OTHER_FIREWALL,
    body: { firewallEnabled: true, rules: [logging] },
  },
  "a configuration that is off": {
    method: "PUT",
    path: OTHER_FIREWALL,
    body: { firewallEnabled: false, rules: [denying] },
  },
  "a rule that is not active": change("rules.insert", { ...denying, active: false }),
  "an address that passes": change("ip.insert", { hostname: "*", ip: "192.0.2.8", action: "bypass" }),
  "the firewall off": change("firewallEnabled", false),
  "attack mode off": attackMode(false),
  "an entry": {
    method: "PATCH",
    path: ENVIRONMENTS,
    body: { environments: { production: { set: {}, remove: ["OLD"] } } },
  },
  "a secret": { method: "POST", path: "/v2/secrets", body: { name: "new", value: "x" } },
  "another name": { method: "PATCH", path: `/v1/users/${user.id}`, body: { suspended: true, name: "Eve" }, ...admin },
  "the end of a suspension": { method: "PATCH", path: `/v1/users/${user.id}`, body: { suspended: false }, ...admin },
  "a new account": { method: "POST", path: "/v1/users", body: { username: "eve", email: "eve@example.com" }, ...admin },
};

const call = ({ method, path, body, token = user.token }: Call) =>
  send(scarce, method, path, { token, ...(body === undefined ? {} : { body }) });

for (const [name, refused] of Object.entries(REFUSED)) {
  test(`${name} is refused`, async () => {
    const { status, body, text } = await call(refused);
    assert.deepEqual([status, body.error?.code], [507, "storage_full"], text);
  });
}

const count = async () => {
  const tables = ["oauth_records", "one_time_codes", "mails", "mail_counts", "users"];
  const [row] = await api.query(
    `select ${tables.map((name) => `(select count(*) from ${name}) as ${name}`).join(", ")}`,
  );
  return row;
};
const form = { "content-type": "application/x-www-form-urlencoded" };

test("strangers store nothing: no request of a program, no mail, no account, no step of a sign-in", async () => {
  const stored = await count();
  const device = await send(scarce, "POST", "/oauth/device_authorization", {
    token: null,
    body: "client_id=reeve-cli&scope=",
    headers: form,
  });
  assert.deepEqual([device.status, device.body.error], [507, "temporarily_unavailable"]);
  const visitor = createVisitor(scarce);
  for (const [path, fields] of [
    ["sign-up", { email: "eve@example.com" }],
    ["recover", { action: "mail", login: user.username }],
    ["passkey-options", { purpose: "sign-in" }],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    assert.equal((await visitor.post(path, fields)).status, 507, path);
  }
  assert.deepEqual(await count(), stored);
});

for (const [name, accepted] of Object.entries(ACCEPTED)) {
  test(`${name} is accepted`, async () => {
    const { status, text } = await call(accepted);
    assert.ok(status === 200 || status === 204, `${status} ${text}`);
  });
}

test("steps of a sign-in are refused when less than half of the reserve is left", () => {
  const reserve = createDiskReserve(() => 60 * 1_048_576, 100, pino({ level: "silent" }));
  assert.throws(() => reserve.require(), { code: "storage_full" });
  reserve.require(1 / 2);
});

test("the log says once when changes begin to be refused, and once when they are accepted again", (t) => {
  const lines: { level: number; freeMib: number; reserveMib: number }[] = [];
  const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as never) });
  let now = 0;
  t.mock.method(performance, "now", () => (now += 1_001));
  const free = [120, 90, 80, 130, 140];
  const reserve = createDiskReserve(() => (free.shift() as number) * 1_048_576, 100, logger);
  for (const isAccepted of [true, false, false, true, true]) {
    if (isAccepted) reserve.require();
    else assert.throws(() => reserve.require(), { code: "storage_full" });
  }
  const said = lines.map(({ level, freeMib, reserveMib }) => [level, freeMib, reserveMib]);
  assert.deepEqual(said, [
    [50, 90, 100],
    [30, 130, 100],
  ]);
});

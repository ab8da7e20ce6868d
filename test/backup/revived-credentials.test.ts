// What was revoked after a backup works again once it is restored. The command says so, and can end all of it.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Settings } from "../../src/serve/config/config.ts";
import { createApp } from "../../src/serve/app.ts";
import { createLogger } from "../../src/serve/observability/logger.ts";
import { send, startOwnApp } from "../harness/test-app.ts";
import { createTeamKey } from "../resources/api-keys.ts";
import { openSession } from "../sign-in/open-session.ts";
import { sessionAsToken } from "../sign-in/session-token.ts";
import { createVisitor } from "../sign-in/visitor.ts";
import { restoreStore } from "../../src/serve/backup/restore.ts";
import { backUpTo, emptyStore, exportTo, newFile } from "./world.ts";

const api = await startOwnApp();
const { clock, createUser, request } = api;

const owner = await createUser();
const { team, value: key, apiKey, scope } = await createTeamKey(api, owner);
const made = await request("POST", "/v3/user/tokens", { token: owner.token, body: { name: "lost" } });
const { bearerToken: lost, token: lostToken } = made.body;
const { session } = await openSession(api, owner);
const invited = await request("POST", `/v1/teams/${team.id}/invites`, { token: owner.token, body: { role: "VIEWER" } });
const { inviteCode } = (await request("GET", `/v2/teams/${team.id}`, { token: owner.token })).body;
const trust = {
  name: "builds",
  issuer: "https://token.actions.githubusercontent.com",
  audience: "https://reeve.example.com",
  claims: { sub: "repo:acme/shop:ref:refs/heads/main", repository_owner_id: "1" },
  role: "DEVELOPER",
};
const rule = (await request("POST", `/v1/identity/trusts${scope}`, { token: owner.token, body: trust })).body;
const hook = { url: "https://hooks.example.com/reeve", events: ["*"] };
const webhook = (await request("POST", `/v1/webhooks${scope}`, { token: owner.token, body: hook })).body;
const link = (await api.app.runner.changes.createSignInLink({ name: owner.id }, clock.now))?.code ?? "";
const files = [await exportTo(api.settings), await backUpTo(api.settings, newFile())];
// All of it is revoked after the backup.
for (const [method, path] of [
  ["DELETE", `/v3/user/tokens/${lostToken.id}`],
  ["DELETE", `/v1/api-keys/${apiKey.id}${scope}`],
  ["DELETE", "/v1/sessions"],
  ["DELETE", `/v1/teams/${team.id}/invites/${invited.body.invite.id}`],
  ["DELETE", `/v1/identity/trusts/${rule.trust.id}${scope}`],
  ["DELETE", `/v1/webhooks/${webhook.id}${scope}`],
] as const) {
  const { status, text } = await request(method, path, { token: owner.token });
  assert.ok(status < 300, `${path}: ${text}`);
}

const restore = (settings: Settings, file: string, endCredentials = false) => {
  const order = { file, replace: false, endCredentials, kinds: ["archive", "database"] } as const;
  return restoreStore(
    settings,
    order,
    () => undefined,
    () => clock.now,
  );
};

/** What of it a server on a restored store accepts. */
async function accepted(settings: Settings) {
  const app = await createApp(settings, { clock: () => clock.now, logger: createLogger("error", process.stdout) });
  try {
    const isIn = async (token: string, path = "/v2/user") => (await send(app, "GET", path, { token })).status === 200;
    const previews = [invited.body.code, inviteCode].map((code) => createVisitor(app).get(`invitation?code=${code}`));
    const shown = await Promise.all(previews);
    const { value } = await app.runner.changes.issueToken({ userId: owner.id, name: "new" }, clock.now);
    const read = async (path: string) => (await send(app, "GET", `${path}${scope}`, { token: value })).body;
    const { active, inactiveReason } = await read(`/v1/webhooks/${webhook.id}`);
    return {
      token: await isIn(lost),
      key: await isIn(key, "/v1/api-keys"),
      session: await isIn(sessionAsToken(session)),
      link: (await createVisitor(app).get(`recover?code=${link}`)).status !== 404,
      codes: shown.map(({ status }) => status === 200),
      webhook: [active, inactiveReason],
      isRuleSuspended: (await read(`/v1/identity/trusts/${rule.trust.id}`)).trust.suspendedAt !== null,
    };
  } finally {
    await app.close();
  }
}

test("a restored store accepts what was revoked since, and the command counts it", async () => {
  for (const { file } of files) {
    const settings = await emptyStore(api);
    const { revived } = await restore(settings, file);
    assert.ok(revived.tokens >= 3 && revived.codes >= 2, JSON.stringify(revived));
    const { tokens: _tokens, codes: _codes, ...others } = revived;
    assert.deepEqual(others, { apiKeys: 1, sessions: 1, joinLinks: 1, trustRules: 1, webhooks: 1 });
    const ways = { token: true, key: true, session: true, link: true, codes: [true, true] };
    const all = { ...ways, webhook: [true, null], isRuleSuspended: false };
    assert.deepEqual(await accepted(settings), all);
  }
});

test("with the option, no credential, session, link, code, trust rule or webhook of the backup works", async () => {
  for (const { file } of files) {
    const settings = await emptyStore(api);
    const { revived } = await restore(settings, file, true);
    const others = { joinLinks: 0, trustRules: 0, webhooks: 0 };
    assert.deepEqual(revived, { tokens: 0, apiKeys: 0, sessions: 0, codes: 0, ...others });
    const none = { token: false, key: false, session: false, link: false, codes: [false, false] };
    assert.deepEqual(await accepted(settings), { ...none, webhook: [false, "request"], isRuleSuspended: true });
  }
});

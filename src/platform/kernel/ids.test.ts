import assert from "node:assert/strict";
import { test } from "node:test";
import { isId, newId } from "./ids.ts";
import type { IdKind } from "./ids.ts";

const FORMS: Readonly<Record<IdKind, RegExp>> = {
  user: /^[0-9A-Za-z]{24}$/,
  team: /^team_[0-9A-Za-z]{24}$/,
  token: /^[0-9a-f]{64}$/,
  apiKey: /^key_[0-9A-Za-z]{24}$/,
  invite: /^[0-9a-f]{24}$/,
  event: /^uev_[0-9A-Za-z]{24}$/,
  secret: /^sec_[0-9A-Za-z]{24}$/,
  environmentEntry: /^env_[0-9A-Za-z]{24}$/,
  firewallVersion: /^waf_[0-9A-Za-z]{24}$/,
  firewallRule: /^rule_[0-9A-Za-z]{24}$/,
  firewallAddress: /^ip_[0-9A-Za-z]{24}$/,
  sharedCondition: /^cond_[0-9A-Za-z]{24}$/,
  identityTrust: /^trust_[0-9A-Za-z]{24}$/,
  webhook: /^account_hook_[0-9A-Za-z]{24}$/,
  session: /^session_[0-9A-Za-z]{24}$/,
  passkey: /^passkey_[0-9A-Za-z]{24}$/,
  identity: /^identity_[0-9A-Za-z]{24}$/,
  replay: /^replay_[0-9A-Za-z]{24}$/,
  mail: /^mail_[0-9A-Za-z]{24}$/,
  request: /^req_[0-9A-Za-z]{24}$/,
};

test("every kind of id has its form, and ids are unique", () => {
  for (const [kind, form] of Object.entries(FORMS) as [IdKind, RegExp][]) {
    const ids = Array.from({ length: 1_000 }, () => newId(kind));
    for (const id of ids) assert.match(id, form);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every((id) => isId(kind, id)));
  }
});

test("ids of a later millisecond sort after those of an earlier one", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: Date.UTC(2026, 0, 1) });
  for (const kind of ["team", "invite"] as const) {
    const earlier = newId(kind);
    // Steps that change more than the last digit.
    for (const ms of [1, 100, 1_000_000, 50_000_000_000]) {
      t.mock.timers.tick(ms);
      assert.ok(newId(kind) > earlier, `${kind} after ${ms} ms`);
    }
  }
});

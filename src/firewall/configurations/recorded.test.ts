// Events of firewall configurations: each change has its own event and payload, and a request without effect has none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { denyPath, firewallEvents, openFirewall, ruleOf } from "../../../test/resources/firewalls.ts";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";

const client = await startTestApp();
const { createUser, request } = client;

async function ownFirewall(projectId = "site") {
  const user = await createUser();
  const firewall = openFirewall(client, user.token, projectId);
  let seen = 0;
  return {
    user,
    firewall,
    /** The events since the last call, as type and payload. Each belongs to this project and this account. */
    async fresh(): Promise<unknown[]> {
      const events = (await firewallEvents(client, user.id)).slice(seen);
      seen += events.length;
      return events.map(({ type, payload, principalId, entityId }) => {
        assert.deepEqual([principalId, entityId], [user.id, projectId]);
        const { projectId: id, projectName, ...rest } = payload;
        assert.deepEqual([id, projectName], [projectId, projectId]);
        return [type, rest];
      });
    },
  };
}

const modified = (configVersion: number, configChanges: readonly Body[], more: object = {}) => [
  "firewall-config-modified",
  { configVersion, configChangeCount: configChanges.length, configChanges, restore: false, ...more },
];
const promoted = (configVersion: number, previousVersion: number | null, restore = false) => [
  "firewall-config-promoted",
  { configVersion, previousVersion, restore },
];

test("a PUT and a PATCH emit the differences and the activation", async () => {
  const { firewall, fresh } = await ownFirewall();
  await firewall.set();
  assert.deepEqual(await fresh(), [modified(1, []), promoted(1, null)]);
  await firewall.set({
    rules: [denyPath("a", { id: "a" })],
    crs: { xss: { active: true, action: "log" } },
    managedRules: { owasp: { active: true } },
    botIdEnabled: true,
    note: "why",
  });
  assert.deepEqual(await fresh(), [
    modified(
      2,
      [
        { action: "botIdEnabled.added" },
        { action: "crs.changed", id: "xss" },
        { action: "managedRules.added", id: "owasp" },
        { action: "rules.added", id: "a" },
      ],
      { note: "why" },
    ),
    promoted(2, 1),
  ]);
  await firewall.patch({ action: "rules.remove", id: "a" });
  assert.deepEqual(await fresh(), [modified(3, [{ action: "rules.removed", id: "a" }]), promoted(3, 2)]);
});

test("activating a version emits an activation only, and changes no version", async () => {
  const { firewall, fresh } = await ownFirewall();
  await firewall.set();
  await firewall.set({ botIdEnabled: true });
  await fresh();
  await firewall.activate(1, { note: "it was better" });
  assert.deepEqual(await fresh(), [promoted(1, 2, true)]);
  await firewall.activate(1);
  await firewall.activate("active");
  assert.deepEqual(await fresh(), []);
  await firewall.set({ ja3Enabled: true });
  assert.deepEqual(await fresh(), [modified(3, [{ action: "ja3Enabled.added" }]), promoted(3, 1)]);
});

test("a draft emits an event per change, and its activation those of any other change", async () => {
  const { firewall, fresh } = await ownFirewall();
  await firewall.set({ rules: [denyPath("a", { id: "a" })] });
  await fresh();
  await firewall.stage({ action: "rules.insert", value: denyPath("b", { id: "b" }) });
  await firewall.stage({ action: "rules.remove", id: "a", note: "why" });
  const staged = (...configChanges: Body[]) => ["firewall-draft-modified", { configChanges }];
  assert.deepEqual(await fresh(), [
    staged({ action: "rules.insert", id: "b" }),
    staged({ action: "rules.remove", id: "a" }),
  ]);
  await firewall.activate("draft");
  const changes = [
    { action: "rules.removed", id: "a" },
    { action: "rules.added", id: "b" },
  ];
  assert.deepEqual(await fresh(), [modified(2, changes, { note: "why" }), promoted(2, 1)]);
  await firewall.stage({ action: "botId.toggle", value: true });
  await firewall.stage({ action: "rules.priority", id: "b", value: 0 });
  await firewall.discard();
  assert.deepEqual(await fresh(), [
    staged({ action: "botId.toggle", id: null }),
    ["firewall-draft-discarded", { configChanges: [{ action: "botId.toggle", id: null }] }],
  ]);
});

test("an event lists at most the first hundred differences", async () => {
  const { firewall, fresh } = await ownFirewall();
  await firewall.set({ rules: Array.from({ length: 150 }, (_, index) => denyPath(`r${index}`, { id: `r${index}` })) });
  const [[, { configChangeCount, configChanges }]] = (await fresh()) as [[string, Body]];
  assert.equal(configChangeCount, 150);
  assert.deepEqual(
    configChanges,
    Array.from({ length: 100 }, (_, index) => ({ action: "rules.added", id: `r${index}` })),
  );
});

test("the feed shows the events by project, and the chain verifies", async () => {
  const { user, firewall } = await ownFirewall("shop");
  await openFirewall(client, user.token, "other").set();
  await firewall.set({ rules: [ruleOf({ type: "path", op: "eq", value: "/s3cret" })] });
  await firewall.stage({ action: "botId.toggle", value: true });
  const { body } = await request("GET", "/v3/events?projectIds=shop&withPayload=true", { token: user.token });
  assert.deepEqual(
    body.events.map(({ type, text }: Body) => [type, text]),
    [
      ["firewall-draft-modified", `${user.username} staged botId.toggle for the firewall of shop`],
      ["firewall-config-promoted", `${user.username} activated version 1 of the firewall of shop`],
      ["firewall-config-modified", `${user.username} made version 1 of the firewall of shop`],
    ],
  );
  assert.equal(body.events[2].payload.configVersion, 1);
  const restored = await firewall.activate(1);
  assert.equal(restored.status, 200);
});

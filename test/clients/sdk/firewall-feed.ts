// What happened to a project's firewall, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { plain } from "./stored-config.ts";
import type { Session } from "./session.ts";

const PROJECT = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";
const HOUR_MS = 3_600_000;

export function testFirewallFeed({ release, as, request, createOwnerAndTeam }: Session): void {
  test("listUserEvents tells what happened to a firewall, without the types that the client does not know", async () => {
    const { owner, team } = await createOwnerAndTeam();
    const scope = `projectId=${PROJECT}&teamId=${team.id}`;
    async function call(method: string, path: string, body?: unknown): Promise<void> {
      const options = { token: owner.token, ...(body === undefined ? {} : { body }) };
      const { status, text } = await request(method, `/v1/security/${path}?${scope}`, options);
      assert.ok(status < 300, text);
    }
    const entry = { hostname: "*", ip: "192.0.2.1", action: "deny" };
    const end = START_TIME + HOUR_MS;
    await call("PUT", "firewall/config", { firewallEnabled: true });
    await call("PATCH", "firewall/config/draft", { action: "ip.insert", value: entry });
    await call("DELETE", "firewall/config/draft");
    await call("PATCH", "firewall/config/draft", { action: "ip.insert", value: entry });
    await call("POST", "firewall/config/draft/activate", {});
    await call("POST", "firewall/config/1/activate", {});
    await call("POST", "attack-mode", { projectId: PROJECT, attackModeEnabled: true, attackModeActiveUntil: end });
    await call("POST", "attack-mode", { projectId: PROJECT, attackModeEnabled: false });
    await call("POST", "firewall/bypass", { domain: "example.com", sourceIp: "192.0.2.0/24", ttl: HOUR_MS });
    await call("DELETE", "firewall/bypass", { domain: "example.com", sourceIp: "192.0.2.0/24" });

    const { events } = await as(owner).user.listUserEvents({ teamId: team.id, withPayload: "true" });
    assert.equal(events.length, 13);
    if (!release.readsEvents) return;
    for (const event of events) {
      assert.ok(event.text.length > 0);
      assert.equal(event.userId, owner.id);
    }
    if (!release.hasEventTypes) return;
    const draft = [undefined, { projectId: PROJECT, projectName: PROJECT }];
    const promoted = (configVersion: number) => [
      "firewall-config-promoted",
      { projectId: PROJECT, projectName: PROJECT, configVersion },
    ];
    const modified = (configVersion: number, configChanges: object[]) => [
      "firewall-config-modified",
      {
        projectId: PROJECT,
        projectName: PROJECT,
        configVersion,
        restore: false,
        configChangeCount: configChanges.length,
        configChanges,
      },
    ];
    const bypass = { projectId: PROJECT, scope: "example.com", source: "192.0.2.0/24" };
    assert.deepEqual(
      events.map(({ type, payload }: Body) => [type, plain(payload)]),
      [
        ["firewall-bypass-deleted", { ...bypass, expiresAt: end }],
        ["firewall-bypass-created", { ...bypass, expiresAt: end }],
        [
          "attack-mode-disabled",
          {
            projectId: PROJECT,
            attackModeEnabled: false,
            prevAttackModeEnabled: true,
            prevAttackModeActiveUntil: end,
          },
        ],
        [
          "attack-mode-enabled",
          {
            projectId: PROJECT,
            attackModeEnabled: true,
            attackModeActiveUntil: end,
            prevAttackModeEnabled: false,
          },
        ],
        promoted(1),
        promoted(2),
        modified(2, [{}]),
        draft,
        draft,
        draft,
        promoted(1),
        modified(1, []),
        ["team", { slug: team.slug }],
      ],
    );
    for (const { categories } of events.slice(0, -1)) assert.equal(categories[0], "firewall");
    const { types } = await as(owner).user.listEventTypes({});
    assert.ok(
      types.some(({ name, categories }: Body) => name === "attack-mode-enabled" && categories.includes("firewall")),
    );
  });
}

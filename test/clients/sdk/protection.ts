// Attack challenge mode and the bypass list, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body } from "../../harness/test-app.ts";
import { refusedWith } from "./refusal.ts";
import { plain } from "./stored-config.ts";
import type { Session } from "./session.ts";

const PROJECT = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";
const HOUR_MS = 3_600_000;

export function testProtection({ release, as, request, createOwnerAndTeam }: Session): void {
  async function openProject() {
    const { owner, team } = await createOwnerAndTeam();
    const query = { projectId: PROJECT, teamId: team.id };
    return { owner, team, query, sdk: as(owner).security };
  }

  test("updateAttackChallengeMode switches it on, to an end or for good, and off", async () => {
    const { owner, team, query, sdk } = await openProject();
    const set = async (body: object) =>
      await sdk.updateAttackChallengeMode({ ...query, requestBody: { projectId: PROJECT, ...body } });
    const shown = async () => {
      const { status, body } = await request("GET", `/v10/projects/${PROJECT}?teamId=${team.id}`, owner);
      assert.equal(status, 200);
      return body.security;
    };
    const end = START_TIME + HOUR_MS;
    for (const body of [
      { attackModeEnabled: true, attackModeActiveUntil: end },
      { attackModeEnabled: true },
      { attackModeEnabled: false },
    ]) {
      const answer = await set(body);
      assert.deepEqual({ ...answer }, { attackModeEnabled: body.attackModeEnabled, attackModeUpdatedAt: START_TIME });
      const { attackModeEnabled, attackModeActiveUntil } = await shown();
      assert.deepEqual(
        [attackModeEnabled, attackModeActiveUntil ?? undefined],
        [body.attackModeEnabled, body.attackModeActiveUntil],
      );
    }
    const past = { attackModeEnabled: true, attackModeActiveUntil: START_TIME - 1 };
    await assert.rejects(set(past), refusedWith(400, "invalid_expiry"));
    assert.equal((await shown()).attackModeEnabled, false);
  });

  if (!release.firewall.hasBypasses) return;

  test("addBypassIp, getBypassIp and removeBypassIp keep the bypass list", async () => {
    const { owner, team, query, sdk } = await openProject();
    const add = async (requestBody: object) => await sdk.addBypassIp({ ...query, requestBody });
    const office = { domain: "example.com", sourceIp: "52.33.44.0/24", note: "office" };
    const row = {
      ownerId: team.id,
      id: `${PROJECT}#example.com#52.33.44.0/24`,
      domain: "example.com",
      ip: "52.33.44.0/24",
      projectId: PROJECT,
      note: "office",
      isProjectRule: false,
    };
    assert.deepEqual(plain(await add(office)), { ok: true, result: [row], pagination: null });
    await add({ projectScope: true, allSources: true, ttl: HOUR_MS });
    await add({ projectScope: true, sourceIp: "2001:db8::1" });

    const list = async (filter: object) => plain(await sdk.getBypassIp({ ...query, ...filter }));
    const time = "2030-01-01 00:00:00";
    const times = { createdAt: time, updatedAt: time, updatedAtHour: time };
    assert.deepEqual(await list({ domain: "example.com" }), {
      result: [{ ...row, ...times, action: "bypass", actorId: owner.id, expiresAt: null }],
    });
    const { result } = await list({ projectScope: true });
    assert.deepEqual(
      result.map(({ ip, domain, isProjectRule, expiresAt }: Body) => [ip, domain, isProjectRule, expiresAt]),
      [
        ["0.0.0.0/0", "*", true, (START_TIME + HOUR_MS) / 1000],
        ["2001:db8::1", "*", true, null],
      ],
    );
    const ids: string[] = [];
    let offset: string | undefined;
    do {
      const page = await list({ limit: 1, ...(offset === undefined ? {} : { offset }) });
      assert.equal(page.result.length, 1);
      ids.push(page.result[0].id);
      offset = page.pagination?.id;
    } while (offset !== undefined);
    assert.equal(new Set(ids).size, 3);

    const remove = async (requestBody: object) => await sdk.removeBypassIp({ ...query, requestBody });
    assert.deepEqual(plain(await remove(office)), { ok: true });
    await assert.rejects(remove(office), refusedWith(404, "not_found"));
    assert.equal((await list({})).result.length, 2);
    await assert.rejects(add({ domain: "example.com", sourceIp: "10.0.0.0/8" }), refusedWith(400));
  });
}

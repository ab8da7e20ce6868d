// Samples of decisions through HTTP: reporting, finding, listing, and what bounds them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp, uniqueName } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openFirewall } from "../../../test/resources/firewalls.ts";
import { RULE, newDecision, newDecisionId } from "../../../test/resources/decisions.ts";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";

const api = await startOwnApp();
const { clock, request, createUser, createTeam, query, app } = api;

/** A project of a new team. */
async function openProject() {
  const user = await createUser();
  const team = await createTeam(user);
  const projectId = uniqueName("shop");
  const { token } = user;
  await openFirewall({ request }, token, projectId, team.id).set();
  const path = `/v1/gate/decisions?teamId=${team.id}&projectId=${projectId}`;
  const send = (decisions: readonly Body[]) => request("POST", path, { token, body: { decisions } });
  return {
    user,
    team,
    projectId,
    send,
    async report(decisions: readonly Body[]): Promise<number> {
      const { status, text, body } = await send(decisions);
      assert.equal(status, 200, text);
      return body.stored;
    },
    async list(rest = ""): Promise<Body> {
      const { status, text, body } = await request("GET", path + rest, { token });
      assert.equal(status, 200, text);
      return body;
    },
    find: (id: string, by = token) => request("GET", `/v1/gate/decisions/${id}?teamId=${team.id}`, { token: by }),
  };
}

const idsOf = ({ decisions }: Body): string[] => decisions.map(({ id }: Body) => id);

test("a decision is found by its id, with what decided and why", async () => {
  const { report, find, projectId } = await openProject();
  const decision = newDecision(clock.now);
  assert.equal(await report([decision]), 1);
  const { status, body } = await find(decision.id);
  assert.equal(status, 200);
  assert.deepEqual(body, { decision: { ...decision, projectId } });
});

test("it is not found by others, in another team, or under another id", async () => {
  const { report, find, user } = await openProject();
  const decision = newDecision(clock.now);
  await report([decision]);
  const stranger = await createUser();
  assert.equal((await find(decision.id, stranger.token)).status, 404);
  const other = await createTeam(user);
  const elsewhere = await request("GET", `/v1/gate/decisions/${decision.id}?teamId=${other.id}`, { token: user.token });
  assert.equal(elsewhere.status, 404);
  const unknown = await find(newDecisionId());
  assert.equal(unknown.status, 404);
  assert.match(unknown.body.error.message, /^Decision not found: /);
});

test("a report that is repeated stores nothing again", async () => {
  const { report, list } = await openProject();
  const [one, other] = [newDecision(clock.now), newDecision(clock.now)];
  assert.equal(await report([one, one]), 1);
  assert.equal(await report([one, other]), 1);
  assert.deepEqual(idsOf(await list()).length, 2);
});

test("the list is newest first, in pages that repeat and miss nothing, also within a millisecond", async () => {
  const { report, list } = await openProject();
  const at = clock.now;
  const late = [newDecision(at), newDecision(at), newDecision(at)];
  const early = [newDecision(at - MINUTE_MS), newDecision(at - 1)];
  // What is reported late has its place by its time all the same.
  await report(late);
  await report(early);
  await report([newDecision(at)]);
  const seen: string[] = [];
  let until = "";
  for (;;) {
    const page = await list(`&limit=2${until}`);
    seen.push(...idsOf(page));
    if (page.pagination.next === null) break;
    until = `&until=${page.pagination.next}`;
  }
  assert.equal(new Set(seen).size, 6);
  assert.deepEqual(
    seen.slice(4),
    early.toReversed().map(({ id }) => id),
  );
  assert.deepEqual(idsOf(await list(`&since=${at - 2}`)).length, 5);
});

test("filters choose by action, rule and host; what was only logged is `log`", async () => {
  const { report, list } = await openProject();
  const denied = newDecision(clock.now);
  const detected = newDecision(clock.now, {
    action: "allow",
    status: null,
    wouldBe: "deny",
    reason: "detect_only",
    by: { ...RULE, id: "rule_2" },
  });
  const logged = newDecision(clock.now, {
    action: "allow",
    status: null,
    by: null,
    logged: [{ ...RULE, id: "rule_3" }],
  });
  const elsewhere = newDecision(clock.now, { host: "Other.test", action: "challenge" });
  await report([denied, detected, logged, elsewhere]);
  for (const [filter, expected] of [
    ["action=deny", [denied]],
    ["action=log", [logged, detected]],
    ["action=challenge", [elsewhere]],
    ["ruleId=rule_1", [elsewhere, denied]],
    ["ruleId=rule_3", [logged]],
    ["host=other.TEST", [elsewhere]],
    ["host=shop.test&ruleId=rule_1&action=deny", [denied]],
    ["host=shop.test&action=challenge", []],
  ] as const) {
    assert.deepEqual(
      idsOf(await list(`&${filter}`)),
      expected.map(({ id }) => id),
      filter,
    );
  }
  const [listed] = (await list("&action=log")).decisions;
  assert.deepEqual(listed?.logged, [{ ...RULE, id: "rule_3" }]);
});

test("credentials of any report are not stored", async () => {
  const { report, find } = await openProject();
  const condition = (type: string, key: string) => ({
    type,
    op: "ex",
    neg: false,
    key,
    actual: ["sword-fish"],
    holds: true,
  });
  const decision = newDecision(clock.now, {
    target: "/a?token=sword-fish",
    userAgent: "sword-fish",
    headers: [
      { name: "authorization", value: "Bearer sword-fish" },
      { name: "cookie", value: "a=sword-fish" },
      { name: "x-other", value: "see sword-fish" },
    ],
    steps: [
      {
        ...RULE,
        outcome: "matched",
        action: "deny",
        groups: [
          {
            matches: true,
            conditions: [condition("header", "x-api-key"), condition("cookie", "a"), condition("query", "b")],
          },
        ],
      },
    ],
  });
  await report([decision]);
  const { text } = await find(decision.id);
  assert.ok(text.includes("[redacted]"));
  assert.ok(!text.includes("fish"), text);
});

test("a report has bounds, and is refused as a whole with the field that exceeds them", async () => {
  const { send, list } = await openProject();
  const fine = newDecision(clock.now);
  for (const [more, field] of [
    [{ at: clock.now - 7 * DAY_MS - 1 }, "body.decisions[1].at"],
    [{ at: clock.now + 6 * MINUTE_MS }, "body.decisions[1].at"],
    [{ id: "a b" }, "body.decisions[1].id"],
    [{ target: "/".repeat(2_049) }, "body.decisions[1].target"],
    [{ headers: Array.from({ length: 40 }, () => ({ name: "a", value: "b".repeat(700) })) }, "body.decisions[1]"],
  ] as const) {
    const { status, body, text } = await send([fine, newDecision(clock.now, more)]);
    assert.deepEqual([status, body.error.field], [400, field], text);
  }
  assert.deepEqual(idsOf(await list()), []);
});

test("a project keeps its newest ten thousand, and nothing for longer than seven days", async () => {
  const { report, list, projectId } = await openProject();
  const count = async () =>
    Number(
      (await query(`select count(*) as count from gate_decisions where project_id = '${projectId}'`))[0]?.["count"],
    );
  const start = clock.now;
  for (let batch = 0; batch < 101; batch++) {
    await report(Array.from({ length: 100 }, (_, at) => newDecision(start + batch * 100 + at, { steps: null })));
  }
  assert.equal(await count(), 10_000);
  const oldest = await list(`&until=${start + 110}&limit=100`);
  assert.deepEqual([oldest.decisions.length, oldest.decisions.at(-1).at], [10, start + 100]);
  clock.now = start + 7 * DAY_MS + 5_000;
  while ((await app.runner.changes.pruneDecisions(null, clock.now)) > 0);
  assert.equal(await count(), 5_100);
});

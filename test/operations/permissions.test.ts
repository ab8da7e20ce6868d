// Every endpoint, called by every kind of caller with every kind of credential, about the team, about a missing team and without a team:
// allowed or refused as docs/permissions.md says. A refused call changes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { TABLE_CALLERS, findAccess } from "../../tools/access-table.ts";
import { inPerson, decisionOf } from "./access-oracle.ts";
import type { Decision } from "./access-oracle.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { createCallers } from "./callers.ts";
import type { Caller } from "./callers.ts";
import type { Example } from "./example-things.ts";
import { OTHERWISE } from "./exceptions.ts";
import { OPERATIONS, aboutTeam, call, exampleOf } from "./operation-call.ts";
import type { TestResponse } from "../harness/test-app.ts";
import { createWorld } from "./world.ts";

const ABSENT_TEAM = `team_${"0".repeat(24)}`;

const world = await createWorld();
const callers = await createCallers(world);
/** Where people join and ask. */
const elsewhere = await world.createTeam(world.owner);
const usedExceptions = new Set<(typeof OTHERWISE)[number]>();

/** The access decision of a response; a refusal for another reason means that access was granted. */
function told({ status, body, text }: TestResponse): Decision | 401 {
  assert.ok(status < 500, text);
  const code = body?.error?.code as string | undefined;
  if (status === 401) return 401;
  if (code === "forbidden") return 403;
  return code === "not_found" && status === 404 ? 404 : "yes";
}

/** An endpoint, and with `isRecorded` the way of calling it that is recorded. */
interface Way {
  readonly operation: Operation;
  readonly isRecorded: boolean;
}

const WAYS: readonly Way[] = OPERATIONS.filter(({ endpoint }) => !endpoint.isLive).flatMap((operation) => [
  { operation, isRecorded: operation.endpoint.recordsAlways === true },
  ...(operation.endpoint.recordsWhen === undefined ? [] : [{ operation, isRecorded: true }]),
]);

function expected({ operation, isRecorded }: Way, { name, accessCase }: Caller): Decision {
  const exception = OTHERWISE.find((one) => one.operation === operation.id && one.who.test(name));
  if (!exception) return decisionOf(operation.endpoint, accessCase, isRecorded);
  usedExceptions.add(exception);
  return exception.decision;
}

/** Whatever is about the caller in person: nothing that others may do for them. */
function isInPerson({ endpoint: { access } }: Operation): boolean {
  return access.kind === "user" || (access.kind === "known-team" && !access.others);
}

/** The team that the example is about: the world's, unless it made one of its own. */
function teamOf({ params }: Example): string {
  return params?.["teamId"] ?? world.team.id;
}

function isAboutTeam({ endpoint: { access } }: Operation): boolean {
  return access.kind !== "user" && access.kind !== "key" && access.kind !== "instance";
}

/** The callers with the most and with the least access. */
function isKnowing({ relation }: Caller["accessCase"]): boolean {
  return relation === "OWNER" || relation === "administrator" || relation === "none";
}

/** Most cases are about the world's team. */
function isAnywhere({ accessCase: { relation } }: Caller): boolean {
  return relation === "OWNER" || relation === "administrator" || relation === "key" || relation === "none";
}

/** A new example; users join and ask elsewhere, so that their status in the world's team does not change. */
async function wayExample({ operation, isRecorded }: Way): Promise<Example> {
  const { params, query, ...rest } = await exampleOf(operation, world);
  const { recordsWhen } = operation.endpoint;
  const { [recordsWhen ?? ""]: _recorded, ...plain } = query ?? {};
  return {
    ...rest,
    ...(params && {
      params: isInPerson(operation) && "teamId" in params ? { ...params, teamId: elsewhere.id } : params,
    }),
    query: isRecorded && recordsWhen ? { ...plain, [recordsWhen]: "true" } : plain,
  };
}

/** With an impossible revision: callers with access are refused for it before anything changes. */
const isGuarded = ({ endpoint }: Operation) => endpoint.errors.includes("revision_mismatch");

async function ask({ operation }: Way, caller: Caller, example: Example): Promise<TestResponse> {
  const headers: Record<string, string> = isGuarded(operation) ? { "if-match": '"0"' } : {};
  const team = isInPerson(operation) || isAnywhere(caller) ? teamOf(example) : world.team.id;
  const placed = isAboutTeam(operation) ? aboutTeam(operation, example, team) : example;
  return await call(operation, world, placed, { token: await caller.credential(team), headers });
}

/** A team that is not there is not there for anybody. */
async function askAboutNobody(operation: Operation, example: Example): Promise<void> {
  const absent = aboutTeam(operation, example, ABSENT_TEAM);
  for (const { name, accessCase, credential } of callers.filter(({ accessCase: one }) => one.isKey || isKnowing(one))) {
    const response = await call(operation, world, absent, { token: await credential(world.team.id) });
    const decision = told(response);
    // Keys and limited tokens are refused before the team is looked up, so that reveals nothing either.
    const isNarrow = accessCase.isKey || accessCase.listed !== undefined;
    const isRefusedAnyhow = isInPerson(operation) && isNarrow && decision === 403;
    assert.ok(decision === 404 || isRefusedAnyhow, `${name}: ${response.text.slice(0, 300)}`);
  }
}

for (const way of WAYS) {
  const { operation, isRecorded } = way;
  const { endpoint } = operation;
  const id = isRecorded ? `${operation.id}, recorded` : operation.id;
  const refused = callers.filter((caller) => expected(way, caller) !== "yes");
  const allowed = callers.filter((caller) => expected(way, caller) === "yes");

  if (refused.length > 0) {
    test(`${id}: refuses ${refused.length} of ${callers.length} callers, as declared`, async () => {
      const example = await wayExample(way);
      for (const caller of refused) await caller.credential(teamOf(example));
      // Of all: those who are allowed ask about a team that is not there.
      for (const caller of callers) await caller.credential(world.team.id);
      const changes = await world.watchStore();
      const responses = [];
      for (const caller of refused) responses.push(`${caller.name}: ${told(await ask(way, caller, example))}`);
      assert.deepEqual(
        responses,
        refused.map((caller) => `${caller.name}: ${expected(way, caller)}`),
      );
      if (isAboutTeam(operation) && !isRecorded) await askAboutNobody(operation, example);
      assert.deepEqual(await changes(), []);
    });
  }

  if (allowed.length > 0) {
    test(`${id}: allows ${allowed.length} of ${callers.length} callers, as declared`, async () => {
      const isKept = !isMutation(endpoint) || isGuarded(operation);
      const shared = isKept ? await wayExample(way) : null;
      for (const caller of allowed) {
        const response = await ask(way, caller, shared ?? (await wayExample(way)));
        const decision = told(response);
        // A user's own objects do not exist for others.
        const isAccepted = decision === "yes" || (isInPerson(operation) && decision === 404);
        assert.ok(isAccepted, `${caller.name}: ${response.text.slice(0, 300)}`);
      }
    });
  }
}

test("docs/permissions.md agrees with the oracle", async () => {
  for (const { operation, isRecorded } of WAYS) {
    const { id, endpoint } = operation;
    for (const who of TABLE_CALLERS) {
      const accessCase = inPerson(who === "others" ? "none" : who);
      assert.equal(
        await findAccess(endpoint, who, isRecorded),
        decisionOf(endpoint, accessCase, isRecorded),
        `${id}: ${who}`,
      );
    }
  }
});

test("every exception is needed", () => {
  assert.deepEqual(
    OTHERWISE.filter((exception) => !usedExceptions.has(exception)),
    [],
  );
  for (const { operation, decision, who } of OTHERWISE) {
    const way = WAYS.find((one) => one.operation.id === operation);
    const concerned = callers.filter(({ name }) => who.test(name));
    assert.ok(way && concerned.length > 0, operation);
    for (const { accessCase, name } of concerned)
      assert.notEqual(
        decisionOf(way.operation.endpoint, accessCase),
        decision,
        `${operation}: ${name} needs no exception`,
      );
  }
});

// Every operation that hands out or revives access, called by a session without a fresh proof, by keys with each single permission, and by
// credentials with an end or networks: refused as the committed table of docs/permissions.md says.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { before as beforeAll, test } from "node:test";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { PERMISSIONS } from "../../src/platform/kernel/roles.ts";
import { HOUR_MS, MINUTE_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { TestResponse, TestUser } from "../harness/test-app.ts";
import { boundedKeys, keyWith } from "../resources/bounded-credentials.ts";
import { openSession } from "../sign-in/open-session.ts";
import { sessionAsToken } from "../sign-in/session-token.ts";
import { givingExample } from "./giving-examples.ts";
import { OPERATIONS, aboutTeam, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

interface Row {
  readonly gives: string;
  readonly requires: readonly string[];
  /** Only some calls hand it out. */
  readonly isAtTimes: boolean;
}

/** The rows of the table as it is committed, by endpoint. */
function readTable(): ReadonlyMap<string, Row> {
  const text = readFileSync(new URL("../../docs/permissions.md", import.meta.url), "utf8");
  const lines = text.slice(text.indexOf("<!-- generated: permissions -->")).split("\n");
  const cells = lines.map((line) => line.split("|").map((cell) => cell.trim())).filter(({ length }) => length > 4);
  const [head = []] = cells;
  const [givesAt, requiresAt] = [head.indexOf("hands out or revives"), head.indexOf("requires")];
  assert.ok(givesAt > 0 && requiresAt > 0, "the table has both columns");
  return new Map(
    cells.slice(2).map((row) => {
      const gives = row[givesAt] as string;
      const requires = (row[requiresAt] as string).split(", ").filter((one) => one !== "");
      return [(row[2] as string).replaceAll("`", ""), { gives, requires, isAtTimes: gives.endsWith(", at times") }];
    }),
  );
}

const TABLE = readTable();

function rowOf({ endpoint: { method, path, recordsWhen } }: Operation): Row {
  const name = `${method} ${path.replace(/:(\w+)/g, "{$1}")}`;
  const row = TABLE.get(recordsWhen === undefined ? name : `${name}?${recordsWhen}=true`);
  assert.ok(row, `docs/permissions.md has no row of ${name}`);
  return row;
}

const world = await createWorld();
const { owner, team, clock, request } = world;

/** A session whose person proved an hour ago who they are; another one where a call has ended it. */
async function staleSession(user: Pick<TestUser, "id">, known?: string): Promise<string> {
  if (known !== undefined && (await request("GET", "/v2/user", { session: known })).status === 200) return known;
  const { session } = await openSession(world, user);
  clock.advance(HOUR_MS);
  return session;
}

const place = (operation: Operation, example: Awaited<ReturnType<typeof exampleOf>>) => {
  const { kind } = operation.endpoint.access;
  return kind === "owner" || kind === "team"
    ? aboutTeam(operation, example, example.params?.["teamId"] ?? team.id)
    : example;
};

const codeOf = ({ body }: TestResponse) => body?.error?.code as string | undefined;
const isAdministrators = ({ endpoint: { access } }: Operation) => access.kind === "instance";
const ofTeam = ({ endpoint: { access } }: Operation) => access.kind === "owner" || access.kind === "team";

const demanding = (what: string) =>
  OPERATIONS.filter((one) => !one.endpoint.isLive && rowOf(one).requires.includes(what));
const writing = OPERATIONS.filter(
  ({ endpoint }) => isMutation(endpoint) || endpoint.recordsWhen || endpoint.recordsAlways,
);

/** Bodies by which operations that hand out something at times do not; null: their plain example. */
const HARMLESS: Readonly<Record<string, object | null>> = {
  updateTeam: null,
  updateWebhook: { description: "example" },
  updateSecret: { description: "example" },
  putSecretValue: null,
  updateEnvironment: { inheritsFrom: null },
  changeEnvironments: null,
  deleteVariable: null,
  deleteVariables: null,
};

const sessions = new Map<string, string>();
async function sessionFor(operation: Operation): Promise<string> {
  const user = isAdministrators(operation) ? world.admin : owner;
  const session = await staleSession(user, sessions.get(user.id));
  sessions.set(user.id, session);
  return sessionAsToken(session);
}

for (const operation of writing) {
  const { id } = operation;
  const { requires, isAtTimes } = rowOf(operation);
  if (requires.includes("proof")) {
    test(`${id}: a session needs a fresh proof`, async () => {
      const example = place(operation, await givingExample(operation, world));
      const token = await sessionFor(operation);
      const changes = await world.watchStore();
      const response = await call(operation, world, example, { token });
      assert.deepEqual([response.status, codeOf(response)], [403, "proof_required"], response.text);
      assert.deepEqual(await changes(), []);
    });
  }
  if (!requires.includes("proof") || isAtTimes) {
    test(`${id}: a session needs no fresh proof ${isAtTimes ? "for what hands out nothing" : ""}`, async () => {
      const harmless = HARMLESS[id];
      if (isAtTimes && !(id in HARMLESS)) return;
      const { token: _own, ...example } = await exampleOf(operation, world);
      const placed = place(operation, harmless ? { ...example, body: harmless } : example);
      const response = await call(operation, world, placed, { token: await sessionFor(operation) });
      assert.notEqual(codeOf(response), "proof_required", response.text);
      assert.ok(response.status < 500, response.text);
    });
  }
}

const single: { readonly permission: string; readonly key: string }[] = [];
beforeAll(async () => {
  for (const permission of PERMISSIONS)
    single.push({ permission, key: await keyWith(world, owner, team, [permission]) });
});

for (const operation of demanding("permissions").filter(ofTeam)) {
  test(`${operation.id}: a key with any single permission hands out nothing`, async () => {
    const example = place(operation, await givingExample(operation, world));
    const changes = await world.watchStore();
    for (const { permission, key } of single) {
      const response = await call(operation, world, example, { token: key });
      const refusals = ["forbidden", "role_exceeds_creator"];
      assert.ok(
        response.status === 403 && refusals.includes(codeOf(response) ?? ""),
        `${permission}: ${response.text}`,
      );
    }
    assert.deepEqual(await changes(), []);
  });
}

/** Times in a response that say when something ends. */
function endsIn(value: unknown): number[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) =>
    name === "expiresAt" && typeof one === "number" ? [one] : endsIn(one),
  );
}

async function boundedTokens(user: Pick<TestUser, "token">) {
  const make = async (limits: object) => {
    const body = { name: "bounded", ...limits };
    return (await request("POST", "/v3/user/tokens", { token: user.token, body })).body.bearerToken as string;
  };
  return [
    { bound: "that ends", key: await make({ expiresAt: clock.now + MINUTE_MS }) },
    { bound: "of one network", key: await make({ allowedCidrs: ["127.0.0.0/8"] }) },
  ];
}

for (const operation of demanding("bounds")) {
  test(`${operation.id}: a credential with an end or networks hands out nothing without them`, async () => {
    const example = place(operation, await givingExample(operation, world));
    const administrators = isAdministrators(operation) ? world.admin : owner;
    const credentials = ofTeam(operation) ? await boundedKeys(world, owner, team) : await boundedTokens(administrators);
    const latest = clock.now + MINUTE_MS;
    for (const { bound, key } of credentials) {
      const response = await call(operation, world, example, { token: key });
      if (response.status === 403) continue;
      const ends = endsIn(response.body);
      assert.ok(
        rowOf(operation).gives.startsWith("a credential"),
        `what never ends, by a key ${bound}: ${response.text}`,
      );
      assert.ok(response.status === 200 && bound === "that ends", response.text);
      assert.ok(ends.length > 0 && ends.every((end) => end <= latest), response.text);
    }
    const whole = ofTeam(operation) ? await keyWith(world, owner, team, PERMISSIONS) : administrators.token;
    const allowed = await call(operation, world, example, { token: whole });
    assert.ok(allowed.status < 300 || codeOf(allowed) === "already_invited", allowed.text);
  });
}

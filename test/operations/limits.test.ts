// Every endpoint, called by credentials with limits: what a contract does not declare is refused, what is outside of the limits does not
// exist, and what is within them works. A refused call changes nothing.
import assert from "node:assert/strict";
import { test } from "node:test";
import { NEEDED_BESIDE, LIMITABLE } from "../../src/platform/kernel/limit-words.ts";
import { DIMENSIONS } from "../../src/platform/kernel/limits.ts";
import type { Dimension } from "../../src/platform/kernel/limits.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { PERMISSIONS } from "../../src/platform/kernel/roles.ts";
import { createKey } from "../resources/api-keys.ts";
import type { TestResponse } from "../harness/test-app.ts";
import type { Example } from "./example-things.ts";
import { OPERATIONS, aboutTeam, call, exampleOf } from "./operation-call.ts";
import { createWorld } from "./world.ts";

const world = await createWorld();
const scope = `?teamId=${world.team.id}`;
const LIST_OF = { project: "projects", environment: "environments", name: "names" } as const;
const OUTSIDE = "elsewhere";
/** A new name is refused by 403, which says why: who names something new learns nothing by it. */
const NAMES_ANEW = [
  "createSecret",
  "createNamedSecret",
  "generateSecret",
  "setSecretValues",
  "createApiKey",
  "createIdentityTrust",
  "changeEnvironments",
  "createVariables",
];

type Limits = Readonly<Record<string, readonly string[]>>;
interface Narrow {
  readonly name: string;
  /** A credential with these limits; of the account, or of the world's team. */
  make(limits: Limits, of: "account" | "team"): Promise<string>;
}

/** The same credential for the same limits: a user has a hundred tokens at most. */
function kept(make: Narrow["make"]): Narrow["make"] {
  const made = new Map<string, Promise<string>>();
  return (limits, of) => {
    const key = `${of} ${JSON.stringify(limits)}`;
    const known = made.get(key) ?? make(limits, of);
    made.set(key, known);
    return known;
  };
}

const KEY: Narrow = {
  name: "a key",
  make: kept(async (limits, of) => {
    const { body, text } = await createKey(world, world.owner.token, of === "team" ? scope : "", limits);
    assert.ok(body.value, text);
    return body.value;
  }),
};
const TOKEN: Narrow = {
  name: "a token",
  make: kept(async (limits, of) => {
    const body = { name: "narrow", ...limits };
    const url = `/v3/user/tokens${of === "team" ? scope : ""}`;
    const made = await world.request("POST", url, { token: world.owner.token, body });
    assert.ok(made.body.bearerToken, made.text);
    return made.body.bearerToken;
  }),
};
const KINDS = [KEY, TOKEN];

/** What the example names, as the declared path does. */
function namedBy(id: string, { params = {}, query = {}, body }: Example): string {
  const { projectId, scope: ofBody } = (body ?? {}) as { projectId?: string; scope?: { projectIds?: string[] } };
  const created = id === "createProject" ? (body as { name: string }).name : undefined;
  return (
    query["projectId"] ??
    params["idOrName"] ??
    params["project"] ??
    created ??
    projectId ??
    ofBody?.projectIds?.[0] ??
    "default"
  );
}

function isAboutOwner({ endpoint: { access } }: Operation): boolean {
  return access.kind === "owner" || access.kind === "team";
}

async function ask(operation: Operation, example: Example, token: string): Promise<TestResponse> {
  const placed = isAboutOwner(operation)
    ? aboutTeam(operation, example, example.params?.["teamId"] ?? world.team.id)
    : example;
  return await call(operation, world, placed, { token });
}

/** Names that the example made: a list must not show them. */
function namesIn({ params = {} }: Example): string[] {
  return Object.entries(params)
    .filter(([member]) => member === "name" || member === "keyId" || member === "trustId" || member === "decisionId")
    .map(([, value]) => value);
}

/** How these refuse what a body or a list of names has and does not exist. */
const ABSENT_IN_INPUT: Readonly<Record<string, string>> = {
  changeEnvironments: "invalid_environment",
  createVariables: "invalid_environment",
  getEnvironmentValues: "environment_incomplete",
};

for (const operation of OPERATIONS.filter(({ endpoint }) => !endpoint.isLive)) {
  const { id, endpoint } = operation;
  const { access, limits = {} } = endpoint;

  if (isAboutOwner(operation)) {
    for (const dimension of DIMENSIONS) {
      const place = limits[dimension];
      // A limited form of the team itself is for everybody who belongs to it.
      if (access.kind === "team" && access.allowLimited) continue;
      test(`${id}: a credential that is limited to some ${dimension}s ${place ? "finds nothing else" : "is refused"}`, async () => {
        const example = await exampleOf(operation, world);
        const own = example.params?.["teamId"];
        if (own !== undefined && own !== world.team.id) return;
        const tokens: string[] = [];
        for (const kind of KINDS) tokens.push(await kind.make({ [LIST_OF[dimension]]: [OUTSIDE] }, "team"));
        const changes = await world.watchStore();
        for (const token of tokens) {
          const { status, body, text } = await ask(operation, example, token);
          const absent = dimension === "project" ? undefined : ABSENT_IN_INPUT[id];
          if (absent !== undefined && body.error?.code === absent) continue;
          if (place === undefined || (place === "handler" && NAMES_ANEW.includes(id))) {
            assert.deepEqual([status, body.error?.code], [403, "forbidden"], text);
          } else if (id === "deleteVariables" && place === "handler") {
            // What is not there is left out.
            assert.deepEqual(body, { deleted: 0, ids: [] }, text);
          } else if (place !== "handler" || status !== 200) {
            assert.deepEqual([status, body.error?.code], [404, "not_found"], text);
          } else {
            assert.ok(
              endpoint.method === "GET" || endpoint.readsOnly,
              `${id} did something outside of the limits: ${text}`,
            );
            for (const name of namesIn(example)) assert.ok(!text.includes(name), text);
            if (dimension === "project") assert.ok(!text.includes(namedBy(id, example)), text);
          }
        }
        assert.deepEqual(await changes(), []);
      });
    }

    if (limits.project) {
      test(`${id}: a credential that is limited to the project may call it`, async () => {
        for (const kind of KINDS) {
          const example = await exampleOf(operation, world);
          const token = await kind.make({ projects: [namedBy(id, example)] }, "team");
          // A key with the same limits is what a limited caller may make or see.
          const { status, text } = await ask(
            operation,
            withinOwn(example, { projects: [namedBy(id, example)] }),
            token,
          );
          if (kind === TOKEN && namedBy(id, example).length > "example".length) await giveUp(token);
          assert.ok(status < 300 || (await isOtherwiseRefused(operation, status)), text);
        }
      });
    }
    if (limits.name) {
      test(`${id}: a credential that is limited to names may call it about them`, async () => {
        for (const kind of KINDS) {
          const example = await exampleOf(operation, world);
          const token = await kind.make({ names: ["*"] }, "team");
          const { status, text } = await ask(operation, withinOwn(example, { names: ["SHOP_*"] }), token);
          assert.ok(status < 300 || (await isOtherwiseRefused(operation, status)), text);
        }
      });
    }
  }

  if (access.kind === "user" || access.kind === "instance" || (access.kind === "known-team" && !access.others)) {
    test(`${id}: credentials with permissions or limits do not act for their user`, async () => {
      const example = await exampleOf(operation, world);
      const narrow: Limits[] = [{ permissions: PERMISSIONS }, { permissions: ["secret:read"] }, { projects: ["shop"] }];
      const made: [string, string][] = [];
      for (const kind of KINDS) {
        for (const bounds of narrow) made.push([kind.name, await kind.make(bounds, "account")]);
      }
      const changes = await world.watchStore();
      for (const [name, token] of made) {
        const { status, text } = await call(operation, world, example, { token });
        const isItself: boolean = access.kind === "user" && access.allowNarrow === true && name === TOKEN.name;
        const expected: number = isItself ? (id === "getCurrentUser" ? 200 : 404) : 403;
        assert.equal(status, expected, `${name}: ${text}`);
      }
      assert.deepEqual(await changes(), []);
    });
  }
}

/** Examples have projects of their own, and so do the tokens for them. */
async function giveUp(token: string): Promise<void> {
  assert.equal((await world.request("DELETE", "/v3/user/tokens/current", { token })).status, 200);
}

/** Keys and trust rules of the example come without limits, so that a limited caller does not know them; what it makes has its limits. */
function withinOwn(example: Example, limits: Limits): Example {
  const { body, params } = example;
  if (
    params?.["keyId"] !== undefined ||
    params?.["trustId"] !== undefined ||
    !("role" in ((body as object | undefined) ?? {}))
  )
    return example;
  return { ...example, body: { ...(body as object), ...limits } };
}

/** The example is about a key or a trust rule without limits. */
async function isOtherwiseRefused({ endpoint }: Operation, status: number): Promise<boolean> {
  return /:(?:keyId|trustId)/.test(endpoint.path) && status === 404;
}

test("a limited token sees and deletes itself, and no other", async () => {
  const token = await TOKEN.make({ permissions: ["event:read"] }, "account");
  const own = await world.request("GET", "/v5/user/tokens/current", { token });
  assert.deepEqual([own.status, own.body.token.permissions], [200, ["event:read"]]);
  await giveUp(token);
  assert.equal((await world.request("GET", "/v2/user", { token })).status, 401);
});

test("the table of what permissions can be limited to is what the contracts declare", () => {
  const declared: Record<string, Set<string>> = {};
  const beside: Record<string, Set<string>> = {};
  for (const { endpoint } of OPERATIONS) {
    const { access, limits = {}, recordingNeeds } = endpoint;
    if (access.kind !== "owner" && access.kind !== "team") continue;
    const places = DIMENSIONS.filter((dimension: Dimension) => limits[dimension] !== undefined).join(" ");
    for (const permission of [access.permission, recordingNeeds]) {
      if (permission !== undefined && places !== "") (declared[permission] ??= new Set()).add(places);
    }
    if (recordingNeeds !== undefined) (beside[recordingNeeds] ??= new Set()).add(access.permission);
    if ("alsoNeeds" in access) (beside[access.permission] ??= new Set()).add(access.alsoNeeds);
  }
  const sorted = (sets: Record<string, Set<string>>) =>
    Object.fromEntries(Object.entries(sets).map(([permission, set]) => [permission, [...set].toSorted()]));
  const table = Object.entries(LIMITABLE).map(
    ([permission, lists]) => [permission, lists.map((list) => list.join(" ")).toSorted()] as const,
  );
  assert.deepEqual(Object.fromEntries(table), sorted(declared));
  assert.deepEqual(NEEDED_BESIDE, sorted(beside));
});

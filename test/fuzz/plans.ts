// Made-up requests as an arbitrary: which operation, who calls, about whom, with what, and what is wrong with it.
import fc from "fast-check";
import { OPERATIONS, OPERATION_BY_ID } from "./document.ts";
import type { Operation } from "./document.ts";
import { BODIES, BY_NAME, fresh, hintFor, mostly, pick, refTo, secret, smallNumber } from "./hints.ts";
import { mutation } from "./mutations.ts";
import type { Mutation } from "./mutations.ts";
import { valueOf } from "./values.ts";

export interface Plan {
  readonly operation: Operation;
  /** Which of its paths. */
  readonly path: Operation;
  /** Which party it is about, and who of it calls. */
  readonly party: number;
  readonly caller: Caller;
  readonly scope: Scope;
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
  /** How long nothing happened before. */
  readonly pauseMs: number;
  readonly mutations: readonly Mutation[];
}

type Caller =
  | { readonly kind: "best" | "steward" | "nobody" }
  | { readonly kind: "own" | "foreign"; readonly pick: number };

/** How the query names the team: by one or both of its names, not at all, or one that is not there. */
type Scope = "id" | "slug" | "both" | "foreign" | "absent" | "none";

type Any = fc.Arbitrary<unknown>;

function paramsFor({ id, pathParameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const members = pathParameters.map(({ name, schema }) => {
    const isNewSecret = id === "createNamedSecret";
    const wanted =
      name === "name" ? (isNewSecret ? fresh("SECRET_") : secret) : (BY_NAME[`${id}.${name}`] ?? BY_NAME[name]);
    return [name, wanted ?? valueOf(schema)] as const;
  });
  return fc.record(Object.fromEntries(members));
}

/** There once in so many times. */
const onceIn = (times: number, arbitrary: Any): Any =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function queryFor({ id, queryParameters }: Operation): fc.Arbitrary<Record<string, unknown>> {
  const hint = hintFor(id);
  const members = queryParameters
    .filter(({ name }) => name !== "teamId" && name !== "slug")
    .map(({ name, schema, isRequired }) => {
      const value = hint(name, schema) ?? valueOf(schema);
      return [
        name,
        isRequired ? value : name === "projectId" ? mostly(value, fc.constant(undefined)) : onceIn(5, value),
      ] as const;
    });
  return fc.record(Object.fromEntries(members));
}

function bodyFor({ id, body }: Operation): Any {
  if (!body) return fc.constant(undefined);
  const bySchema = valueOf(body.schema, hintFor(id));
  const wanted = BODIES[id]?.(bySchema) ?? bySchema;
  return body.isRequired ? wanted : fc.option(wanted, { freq: 3, nil: undefined });
}

const HEADERS: Readonly<Record<string, Any>> = {
  "if-match": fc.oneof(refTo("etag"), fc.constantFrom("*", '"1"', '"1", "2"', 'W/"1"')),
  "idempotency-key": mostly(fresh("key-"), fc.constantFrom("a", "b")),
  accept: fc.constantFrom("*/*", "application/json", "application/problem+json", "application/x-ndjson", "text/csv"),
  "user-agent": fc.constantFrom("curl/8", "speakeasy-sdk/typescript 1.18.4 2.801.0", "terraform-provider-vercel/3"),
  "last-event-id": smallNumber.map(String),
};

const headersFor: fc.Arbitrary<Record<string, unknown>> = fc.record(
  Object.fromEntries(Object.entries(HEADERS).map(([name, value]) => [name, onceIn(12, value)])),
);

function callerFor(access: string): fc.Arbitrary<Caller> {
  const best = access === "instance" ? ("steward" as const) : ("best" as const);
  return fc.oneof(
    { weight: 14, arbitrary: fc.constant<Caller>({ kind: best }) },
    { weight: 7, arbitrary: pick.map<Caller>((at) => ({ kind: "own", pick: at })) },
    { weight: 2, arbitrary: pick.map<Caller>((at) => ({ kind: "foreign", pick: at })) },
    { weight: 1, arbitrary: fc.constant<Caller>({ kind: "nobody" }) },
  );
}

const scope: fc.Arbitrary<Scope> = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom<Scope>("id", "id", "slug", "both", "none") },
  { weight: 2, arbitrary: fc.constantFrom<Scope>("foreign", "absent") },
);

/** Most are good; others are wrong in one way, or in several. */
const mutations = fc.oneof(
  { weight: 14, arbitrary: fc.constant<Mutation[]>([]) },
  { weight: 4, arbitrary: mutation.map((one) => [one]) },
  { weight: 2, arbitrary: fc.array(mutation, { minLength: 2, maxLength: 4 }) },
);

const pauseMs = fc.oneof(
  { weight: 200, arbitrary: fc.constant(0) },
  { weight: 10, arbitrary: fc.constantFrom(1, 1_000, 60_000) },
  { weight: 1, arbitrary: fc.constantFrom(3_600_000, 86_400_000) },
);

/** How often an operation is chosen: those that end others' things seldom, so that there are things. */
const WEIGHTS: Readonly<Record<string, number>> = {
  deleteCurrentUser: 1,
  deleteTeam: 1,
  deleteUser: 1,
  updateUser: 2,
  removeTeamMember: 3,
  deleteToken: 3,
  deleteWebhook: 2,
  deleteSecret: 4,
  deleteApiKey: 2,
  rotateApiKey: 4,
  streamEvents: 1,
  testWebhook: 1,
  getOpenApi: 1,
  getReference: 1,
  getMetrics: 1,
};
const USUAL_WEIGHT = 8;
const EXTRA_WEIGHT = 12;
const MOST_WEIGHT = 24;
const MORE_OFTEN =
  /^(?:put|publish|invite|add|set|replay|requestAccess|join|createToken|createApiKey|createTeam|updateVariable|rollBack)|EnvironmentVersion$/;
const MOST_OFTEN =
  /^(?:create(?:Named)?Secret|generateSecret|createWebhook|updateFirewallDraft|createInvite|createVariables|changeEnvironments|create(?:Custom)?Environment|createIdentityTrust)$/;

function weightOf(id: string): number {
  if (MOST_OFTEN.test(id)) return MOST_WEIGHT;
  return WEIGHTS[id] ?? (MORE_OFTEN.test(id) ? EXTRA_WEIGHT : USUAL_WEIGHT);
}

function planFor(operation: Operation): fc.Arbitrary<Plan> {
  const paths = OPERATIONS.filter(({ canonicalId }) => canonicalId === operation.id);
  return fc.record({
    operation: fc.constant(operation),
    path: mostly(fc.constant(operation), fc.constantFrom(...paths)) as fc.Arbitrary<Operation>,
    party: pick,
    caller: callerFor(operation.access),
    scope,
    params: paramsFor(operation),
    query: queryFor(operation),
    body: bodyFor(operation),
    headers: headersFor,
    pauseMs,
    mutations,
  });
}

export const plans: fc.Arbitrary<Plan> = fc.oneof(
  ...[...OPERATION_BY_ID.values()]
    .filter(({ id, canonicalId }) => id === canonicalId)
    .map((operation) => ({
      weight: weightOf(operation.id),
      arbitrary: planFor(operation),
    })),
);

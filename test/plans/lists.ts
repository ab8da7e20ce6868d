// Every list of the contract, with values for every filter that it has.
import { operations } from "../../src/serve/composition/registry.ts";
import type { Operation } from "../../src/platform/kernel/operation-registry.ts";
import { START_TIME } from "../harness/test-app.ts";

/** Endpoints with a page: what has `limit` in its query. */
export const LISTS: readonly Operation[] = [...operations.values()].filter(
  ({ endpoint: { method, query, streamsOnly } }) =>
    method === "GET" && !streamsOnly && query?.properties["limit"] !== undefined,
);

/** Near the middle of most lists that `rows.ts` makes: times in ms, and sequences. */
const [EARLIER, LATER] = [START_TIME - 1_500, START_TIME + 10_000];
const SEQUENCE = 18_000;
/** Before these times a few of the secrets end, and many. */
const [ENDS, LATE_ENDS] = [2_000, 1_000_000];

/** Members of a query that filter nothing: those that choose a page, with a value of another page, and those that choose a form. */
const PAGES: Readonly<Record<string, readonly (string | number)[]>> = {
  since: [EARLIER, LATER],
  until: [EARLIER, LATER],
  after: [SEQUENCE],
  before: [SEQUENCE],
  limit: [],
  offset: [],
  cursor: [],
  next: [],
  form: [],
  withPayload: [],
};

/** A statement that may read more than three pages of a table, by design. Only that of an entity grows with what the list has of it. */
interface Exception {
  readonly rows: number;
  /** In docs/scaling.md. */
  readonly why: string;
}

/** A query; `ranges` is how many ranges of an index it names, of each of which a page is read. One by default. */
interface Filter {
  readonly query: Readonly<Record<string, string>>;
  readonly ranges?: number;
  readonly exception?: Exception;
}

const CANDIDATES: Exception = {
  rows: 1_024,
  why: "a search reads the entries with the same trigrams, in ranges of the index, and those that are too new to be in it",
};
const FEW: Exception = {
  rows: 501,
  why: "of a filter that finds few, up to 500 ids are looked up first; with more the list is read in its order",
};
const FIRST_BATCH: Exception = {
  rows: 270,
  why: "a list without an index for a filter is read in its order, the first 250 rows at once; an index would cost every change",
};
const BATCH: Exception = {
  rows: 2_110,
  why: "the same with few matches: after 250 rows the batches have 500, 1 000 and 2 000, with deleted secrets among them",
};
const STATES: Exception = {
  rows: 4_020,
  why: "deliveries in each of four states are counted, 1 001 at most",
};
const ROLES: Exception = {
  rows: 8_110,
  why: "members with each of eight roles are counted, 1 001 at most, beside those who ask to join",
};
const DECISIONS: Exception = {
  rows: 10_000,
  why: "a project keeps 10 000 decisions at most, and they are filtered by what they say",
};
const COUNTED: Exception = {
  rows: 10_000,
  why: "deliveries of the listed webhooks are counted together, 10 000 at most; the response says when there are more",
};
const CREDENTIALS: Exception = {
  rows: 2_010,
  why: "an owner has 1 000 API keys at most, and few tokens: those that are filtered are read in their order, 2 000 at once",
};
const IN_TURN: Exception = {
  rows: 4_000,
  why: "of ids that have events in turn and none in common, twice as many are read as the rarest has, here 1 880; an index of both would cost every change",
};
const EXAMINED: Exception = {
  rows: 500,
  why: "a page of the feed of the instance examines 500 events at once: no index of it has types",
};

const one = (member: string, ...values: readonly string[]): readonly Filter[] =>
  values.map((value) => ({ query: { [member]: value } }));
const within = (exception: Exception, member: string, ...values: readonly string[]): readonly Filter[] =>
  one(member, ...values).map((filter) => ({ ...filter, exception }));

/** Types that are frequent, rare and missing in the chain of the team. */
const TYPES: readonly Filter[] = [
  ...["secret-add", "secret-rename", "team-delete"].map((types) => ({ query: { types } })),
  { query: { types: "secret-rename,secret-reveal" }, ranges: 2 },
];
const PRINCIPALS = ["rare-principal", "nobody"];
const BUSY_PRINCIPAL = "busy-principal";

export const FILTERS: Readonly<Record<string, Readonly<Record<string, readonly Filter[]>>>> = {
  listUsers: {
    search: [...one("search", "person 777", "nobody"), ...within(CANDIDATES, "search", "person")],
    username: one("username", "user-1", "nobody"),
    email: one("email", "nobody@example.com"),
  },
  listTeamMembers: {
    search: [...one("search", "person 777", "nobody"), ...within(CANDIDATES, "search", "person")],
    role: [
      ...one("role", "DEVELOPER", "VIEWER", "BILLING"),
      { query: { search: "person", role: "DEVELOPER" } },
      { query: { search: "person", role: "VIEWER" }, exception: CANDIDATES },
    ],
    excludeProject: within(FIRST_BATCH, "excludeProject", "project-1"),
    eligibleMembersForProjectId: within(FIRST_BATCH, "eligibleMembersForProjectId", "project-1"),
    withActivity: one("withActivity", "true"),
    withRoleCounts: within(ROLES, "withRoleCounts", "true"),
    accessRequested: one("accessRequested", "true"),
    filterByUserIds: one("filterByUserIds", "user-1,user-2", "nobody"),
    sort: [
      ...["name", "role", "createdAt"].flatMap((sort) => [
        { query: { sort } },
        { query: { sort, order: "desc" } },
        { query: { sort, role: "DEVELOPER" } },
        { query: { sort, search: "nobody" }, exception: CANDIDATES },
        { query: { sort, search: "person" }, exception: CANDIDATES },
      ]),
      { query: { sort: "name", role: "VIEWER" }, exception: FEW },
      { query: { sort: "role", order: "desc", role: "VIEWER" } },
      { query: { sort: "createdAt", role: "VIEWER", search: "person" }, exception: CANDIDATES },
      { query: { sort: "name", excludeProject: "project-1" }, exception: FIRST_BATCH },
    ],
    order: [],
  },
  listSecrets: {
    id: one("id", "nothing"),
    projectId: one("projectId", "project", "rare-project", "nothing"),
    deleted: one("deleted", "true"),
    search: within(CANDIDATES, "search", "_77", "nothing"),
    tag: [...within(FEW, "tag", "often"), ...one("tag", "rare", "nothing")],
    usedIn: one("usedIn", "default", "example/production"),
    expiresBefore: within(FEW, "expiresBefore", String(ENDS), String(LATE_ENDS)),
    sort: [
      ...["name", "updatedAt", "expiresAt"].flatMap((sort) => [
        { query: { sort } },
        { query: { sort, order: "desc" } },
        { query: { sort, tag: "rare" } },
        { query: { sort, tag: "often", search: "_7" }, exception: BATCH },
        { query: { sort, search: "nothing" }, exception: CANDIDATES },
        { query: { sort, search: "_77" }, exception: CANDIDATES },
      ]),
      { query: { sort: "expiresAt", expiresBefore: String(ENDS) } },
      { query: { sort: "expiresAt", order: "desc", expiresBefore: String(LATE_ENDS) } },
      { query: { sort: "name", expiresBefore: String(LATE_ENDS) }, exception: FEW },
    ],
    order: [],
  },
  listApiKeys: {
    search: within(CREDENTIALS, "search", "key 77", "nothing"),
    state: within(CREDENTIALS, "state", "active", "ending", "expired", "unused", "suspended"),
    role: within(CREDENTIALS, "role", "DEVELOPER", "VIEWER"),
    responsibleId: within(CREDENTIALS, "responsibleId", "nobody"),
    activeBefore: within(CREDENTIALS, "activeBefore", "1"),
  },
  listTokens: {
    search: within(CREDENTIALS, "search", "key 77", "nothing"),
    state: within(CREDENTIALS, "state", "active", "ending", "expired", "unused"),
    activeBefore: within(CREDENTIALS, "activeBefore", "1"),
  },
  listProjects: { search: within(BATCH, "search", "_77", "nothing") },
  listBypasses: {
    projectId: [],
    sourceIp: one("sourceIp", "192.0.2.1"),
    domain: one("domain", "*", "nothing.example.com"),
    projectScope: one("projectScope", "true", "false"),
  },
  listBypassRules: { projectId: [], domain: one("domain", "nothing.example.com") },
  listFirewallConfigs: { projectId: [] },
  listAlertGroups: { projectId: [], from: [], to: [], types: [] },
  listGateDecisions: {
    projectId: [],
    action: [...one("action", "deny"), ...within(DECISIONS, "action", "challenge")],
    ruleId: [...one("ruleId", "rule_1"), ...within(DECISIONS, "ruleId", "nothing")],
    host: [...one("host", "shop.test"), ...within(DECISIONS, "host", "nothing.test")],
  },
  listWebhooks: { projectId: one("projectId", "project-1"), withHealth: within(COUNTED, "withHealth", "true") },
  listDeliveries: {
    state: [...one("state", "pending", "failed"), { query: { state: "delivered" }, ranges: 3 }],
    type: one("type", "secret-rename", "team-delete"),
  },
  listAllDeliveries: {
    state: one("state", "failed"),
    type: one("type", "secret-rename"),
    webhookId: [],
    status: one("status", "5xx", "none"),
    withCounts: within(STATES, "withCounts", "true"),
  },
  listEvents: {
    types: [
      ...TYPES,
      { query: { types: "secret-add", since: String(LATER) } },
      { query: { types: "secret-rename", after: String(SEQUENCE), before: String(SEQUENCE + 10_000) } },
    ],
    type: one("type", "secret-rename"),
    principalId: [
      ...one("principalId", ...PRINCIPALS),
      { query: { principalId: BUSY_PRINCIPAL }, ranges: 3 },
      { query: { principalId: BUSY_PRINCIPAL, types: "secret-rename,team-delete" }, ranges: 2 },
    ],
    userId: one("userId", ...PRINCIPALS),
    entityId: [
      ...one("entityId", "rare-entity", "nothing"),
      { query: { entityId: "entity-7" }, ranges: 2 },
      { query: { entityId: "entity-7", types: "secret-rename" } },
      { query: { entityId: "entity-7", principalId: "rare-principal" } },
      { query: { entityId: "entity-7", principalId: BUSY_PRINCIPAL }, ranges: 2 },
      { query: { entityId: "entity-7", projectIds: "project-7" }, ranges: 2 },
      { query: { entityId: "entity-7", projectIds: "project-7", principalId: BUSY_PRINCIPAL }, ranges: 2 },
      { query: { entityId: "entity-7", projectIds: "project-8" }, exception: IN_TURN },
    ],
    projectIds: [
      ...one("projectIds", "rare-project", "nothing"),
      { query: { projectIds: "project-7" }, ranges: 2 },
      { query: { projectIds: "project-7", principalId: "rare-principal" } },
      { query: { projectIds: "project-0", principalId: "rare-principal" }, ranges: 2 },
      { query: { projectIds: "project-0,project-7", principalId: BUSY_PRINCIPAL }, ranges: 3 },
      { query: { projectIds: "project-7,project-14", types: "secret-rename,team-delete" }, ranges: 4 },
      { query: { projectIds: "project-1,rare-project", types: "secret-rename,secret-reveal" }, ranges: 4 },
    ],
    instance: [
      { query: { instance: "true" } },
      { query: { instance: "true", types: "secret-rename" }, exception: EXAMINED },
    ],
  },
};

/** What is asked of a list: its first page, other pages, and each filter. */
export function requestsTo({ id, endpoint }: Operation): readonly Filter[] {
  const members = Object.keys(endpoint.query?.properties ?? {});
  const samples = FILTERS[id] ?? {};
  const missing = members.filter((name) => !(name in PAGES) && samples[name] === undefined);
  if (missing.length > 0) throw new Error(`${id}: add values of ${missing.join(", ")} to test/plans/lists.ts`);
  const pages = members.flatMap((name) => (PAGES[name] ?? []).map((value) => ({ query: { [name]: String(value) } })));
  return [{ query: {} }, ...pages, ...members.flatMap((name) => samples[name] ?? [])];
}

/** What docs/scaling.md says of statements that read more than three pages: how much, of which list with which members of its query, and why. */
export function exceptionRows(): readonly (readonly string[])[] {
  const all = Object.entries(FILTERS).flatMap(([id, samples]) =>
    Object.values(samples)
      .flat()
      .flatMap(({ query, exception }) =>
        exception ? [{ exception, list: `\`${id}\`: \`${Object.keys(query).join("` with `")}\`` }] : [],
      ),
  );
  const rows = Map.groupBy(all, ({ exception }) => exception);
  return Array.from(rows, ([{ rows: count, why }, of]) => [
    count.toLocaleString("en").replaceAll(",", " "),
    [...new Set(of.map(({ list }) => list))].join("; "),
    why,
  ]);
}

/** The members of a query that only filter, which an example may have. */
export function isFilter({ id }: Operation, member: string): boolean {
  return (FILTERS[id]?.[member] ?? []).length > 0 || member in PAGES;
}

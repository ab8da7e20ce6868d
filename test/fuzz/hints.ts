// Values that a schema does not describe: the member's name says what is meant.
import fc from "fast-check";
import { storableConfiguration } from "../firewall/arbitraries.ts";
import { request as requestAttributes } from "../firewall/requests.ts";
import type { Schema } from "./document.ts";
import { Fresh, Moment, Ref } from "./refs.ts";
import { valueOf } from "./values.ts";

type Any = fc.Arbitrary<unknown>;

export const pick = fc.nat(1_000);

export function refTo(kind: string): fc.Arbitrary<Ref> {
  const whose = fc.oneof(
    { weight: 17, arbitrary: fc.constant("own" as const) },
    { weight: 2, arbitrary: fc.constant("foreign" as const) },
    { weight: 1, arbitrary: fc.constant("absent" as const) },
  );
  return fc.tuple(pick, whose).map(([at, from]) => new Ref(kind, at, from));
}

export const fresh = (before: string, after = "") => fc.constant(new Fresh(before, after));
export const mostly = (usual: Any, ...others: readonly Any[]) =>
  fc.oneof({ weight: 6, arbitrary: usual }, ...others.map((arbitrary) => ({ weight: 1, arbitrary })));
const some = (item: Any) => fc.array(item, { maxLength: 3 });

const moment = (isText = false) =>
  fc
    .constantFrom(1, 1_000, 60_000, 3_600_000, 86_400_000, 90 * 86_400_000, 0, -1, -86_400_000)
    .map((offset) => new Moment(offset, isText));
const project = mostly(refTo("project"), fresh("project-"), fc.constantFrom("web", "api"));
const ownedProject = mostly(fc.constantFrom("web", "api"), refTo("project"));
const environment = fc.constantFrom("production", "preview", "development", "staging", "qa");
export const smallNumber = fc.integer({ min: 0, max: 5 });
const address = fc.constantFrom(
  "192.0.2.1",
  "192.0.2.0/24",
  "2001:db8::1",
  "2001:db8::/48",
  "10.1.2.3",
  "::ffff:1.2.3.4",
);
const domain = mostly(fresh("h", ".example.com"), fc.constantFrom("example.com", "*.example.com", "bücher.example"));
const eventNames = fc.constantFrom("*", "team-*", "secret-*", "secret-add", "team-member-*", "deployment.created");
const typeList = fc.array(eventNames, { minLength: 1, maxLength: 3 }).map((names) => names.join(","));
/** Only loopback, where nothing listens: no delivery arrives. */
const url = fc.constantFrom(
  "http://127.0.0.1:9/a",
  "http://127.0.0.1:9/?q=%20",
  "https://127.0.0.1:9/",
  "http://10.0.0.1/",
);
export const secret = refTo("secret");
const rule = storableConfiguration.map(({ rules }) => {
  const { id: _id, ...first } = rules[0] ?? { id: "", name: "r", active: true, conditionGroup: [], action: {} };
  return first;
});

/** The kind of a member of this name, in all operations or in one (`operation.name`). */
export const BY_NAME: Readonly<Record<string, Any>> = {
  teamId: refTo("team"),
  uid: refTo("user"),
  userId: refTo("user"),
  principalId: refTo("user"),
  filterByUserIds: refTo("user"),
  defaultTeamId: mostly(refTo("team"), fc.constant(null)),
  newDefaultTeamId: refTo("team"),
  tokenId: mostly(refTo("token"), fc.constant("current")),
  keyId: refTo("key"),
  sessionId: mostly(refTo("session"), fc.constant("current")),
  passkeyId: refTo("passkey"),
  identityId: refTo("identity"),
  "setPassword.password": fresh("six words that are hard to guess "),
  inviteId: refTo("invite"),
  inviteCode: fc.oneof(refTo("invite"), refTo("code")),
  email: mostly(fresh("made", "@example.com"), refTo("email")),
  username: mostly(fresh("made"), refTo("username")),
  "createTeam.slug": mostly(fresh("made-"), refTo("slug")),
  "updateTeam.slug": mostly(fresh("made-"), refTo("slug")),
  expiresAt: mostly(moment(), fc.constant(null)),
  attackModeActiveUntil: mostly(moment(), fc.constant(null)),
  at: moment(),
  expectedVersion: smallNumber,
  allowedCidrs: some(fc.constantFrom("127.0.0.0/8", "0.0.0.0/0", "::/0", "192.0.2.0/24")),
  projectId: project,
  projectIds: fc.array(project, { minLength: 1, maxLength: 3 }),
  idOrName: ownedProject,
  project: ownedProject,
  environment,
  environmentSlugOrId: environment,
  target: environment,
  inheritsFrom: fc.constantFrom(null, "production", "preview", "staging"),
  "createEnvironment.name": fc.constantFrom("staging", "qa"),
  "createCustomEnvironment.slug": fc.constantFrom("staging", "qa"),
  "getEnvironmentVersion.version": smallNumber,
  "rollBackEnvironment.version": smallNumber,
  "diffEnvironmentVersions.from": smallNumber,
  "diffEnvironmentVersions.to": smallNumber,
  "getVariable.id": refTo("variable"),
  "updateVariable.id": refTo("variable"),
  "deleteVariable.id": refTo("variable"),
  "deleteVariables.ids": fc.array(refTo("variable"), { minLength: 1, maxLength: 3 }),
  trustId: refTo("trust"),
  issuer: fc.constantFrom("https://id.example.com", "http://127.0.0.1:9"),
  claims: fc.constantFrom({ sub: "repo:acme/shop:*" }, { sub: "a", "b.c": [1, "x*"] }, { sub: "*" }),
  idOrSlug: project,
  configVersion: mostly(fc.constantFrom("active", "draft"), refTo("config")),
  otherVersion: mostly(fc.constantFrom("previous", "active", "draft"), refTo("config")),
  compareWith: mostly(fc.constantFrom("active", "draft"), refTo("config")),
  "updateFirewallDraft.configVersion": mostly(fc.constant("draft"), fc.constant("active")),
  "discardFirewallDraft.configVersion": mostly(fc.constant("draft"), fc.constant("active")),
  "activateFirewallConfig.configVersion": mostly(fc.constant("draft"), refTo("config")),
  version: mostly(refTo("version"), smallNumber),
  webhookId: refTo("webhook"),
  deliveryId: refTo("delivery"),
  replayId: refTo("replay"),
  "createWebhook.url": url,
  "updateWebhook.url": url,
  events: fc.array(eventNames, { minLength: 1, maxLength: 3 }),
  types: typeList,
  "replayWebhook.types": some(eventNames),
  type: typeList,
  "publishEvent.type": fc.constantFrom("deployment.created", "deployment.succeeded", "project.created", "own.event"),
  since: mostly(refTo("cursor"), moment()),
  until: mostly(refTo("cursor"), moment()),
  next: refTo("cursor"),
  "exportEvents.since": fc.oneof(moment(), moment(true)),
  "exportEvents.until": fc.oneof(moment(), moment(true)),
  "listEvents.since": fc.oneof(moment(), moment(true)),
  "listEvents.until": fc.oneof(moment(), moment(true)),
  "replayWebhook.since": fc.oneof(moment(), moment(true)),
  "replayWebhook.until": fc.oneof(moment(), moment(true)),
  "getAttackStatus.since": smallNumber,
  startTimestamp: moment(),
  endTimestamp: moment(),
  sourceIp: address,
  ip: address,
  domain,
  "removeBypass.domain": refTo("domain"),
  "replaceBypassRule.domain": refTo("domain"),
  "removeBypassRule.domain": refTo("domain"),
  conditionGroup: rule.map(({ conditionGroup }) => conditionGroup),
  host: domain,
  hosts: domain,
  entityId: fc.oneof(refTo("user"), refTo("secret"), refTo("webhook")),
  alias: secret,
  from: secret,
  "renameSecrets.to": mostly(fresh("RENAMED_"), secret),
  currentRule: rule,
};

const SECRET_BODIES = /^(?:create(?:Named)?Secret|generateSecret|updateSecret|restoreSecret)$/;
const VALUES_IN_BASE64 = fc.base64String({ maxLength: 64 });

const METRICS_BODY = fc
  .record({ owner: refTo("owner"), start: moment(true), hours: fc.constantFrom(3_600, 7_200, 86_400), project })
  .map(({ owner, start, hours, project: projectId }) => ({
    scope: { ownerId: owner, projectIds: [projectId] },
    timeRange: { start, end: new Moment(3_600_000, true) },
    metrics: { value: { metric: "vercel.firewall_action.count", aggregation: "count" } },
    outputs: ["value"],
    bucketSeconds: hours,
  }));

const variableKey = fc.constantFrom("A", "B", "LOG_LEVEL", "DATABASE_URL");
const entryInput = fc.oneof(
  fc.record({ value: fc.string() }),
  fc.record({ secretValue: fc.string() }),
  fc.record({ secret }),
);
const ENVIRONMENT_CHANGES = fc.record({
  environments: fc.dictionary(
    environment,
    fc.record({ set: fc.dictionary(variableKey, entryInput), remove: some(variableKey) }, { requiredKeys: [] }),
    { minKeys: 1, maxKeys: 3 },
  ),
});
const VARIABLE = fc.record({
  key: variableKey,
  value: fc.string({ minLength: 1 }),
  type: fc.constantFrom("plain", "encrypted", "sensitive"),
  target: fc.uniqueArray(environment, { minLength: 1, maxLength: 3 }),
});

function changesOf(extra: Any): Any {
  const id = refTo("rule");
  const change = (action: string, record: Readonly<Record<string, Any>>) =>
    fc.record({ action: fc.constant(action), ...record });
  const entry = storableConfiguration.map(({ ips }) => {
    const { id: _id, ...first } = ips[0] ?? { id: "", hostname: "*", ip: "192.0.2.1", action: "deny" };
    return first;
  });
  return fc.oneof(
    { weight: 4, arbitrary: change("rules.insert", { value: rule }) },
    { weight: 2, arbitrary: change("rules.update", { id, value: rule }) },
    { weight: 1, arbitrary: change("rules.remove", { id }) },
    { weight: 1, arbitrary: change("rules.priority", { id, value: smallNumber }) },
    { weight: 2, arbitrary: change("ip.insert", { value: entry }) },
    { weight: 1, arbitrary: change("ip.update", { id, value: entry }) },
    { weight: 1, arbitrary: change("ip.remove", { id }) },
    { weight: 1, arbitrary: change("firewallEnabled", { value: fc.boolean() }) },
    { weight: 1, arbitrary: change("botId.toggle", { value: fc.boolean() }) },
    { weight: 3, arbitrary: extra },
  );
}

/** Bodies that fit their schema by their members alone say little: here those that mean something. */
export const BODIES: Readonly<Record<string, (schema: Any) => Any>> = {
  putFirewallConfig: (bySchema) => mostly(storableConfiguration, bySchema),
  updateFirewallConfig: changesOf,
  updateFirewallDraft: changesOf,
  queryMetrics: (bySchema) => mostly(METRICS_BODY, bySchema),
  changeEnvironments: (bySchema) => mostly(ENVIRONMENT_CHANGES, bySchema),
  createVariables: (bySchema) => mostly(fc.oneof(VARIABLE, fc.array(VARIABLE, { maxLength: 3 })), bySchema),
  evaluateFirewallConfig: (bySchema) =>
    mostly(
      fc.record(
        {
          requests: fc.array(requestAttributes, { minLength: 1, maxLength: 3 }),
          trace: fc.boolean(),
          compareWith: BY_NAME["compareWith"] as Any,
        },
        { requiredKeys: ["requests"] },
      ),
      bySchema,
    ),
};

export function hintFor(id: string) {
  return (name: string, schema: Schema): Any | undefined => {
    if (SECRET_BODIES.test(id) && name === "name") return mostly(fresh("SECRET_"), secret, valueOf(schema));
    if (SECRET_BODIES.test(id) && name === "value") return fc.oneof(valueOf(schema), VALUES_IN_BASE64);
    const wanted = BY_NAME[`${id}.${name}`] ?? BY_NAME[name];
    return wanted && mostly(wanted, valueOf(schema));
  };
}

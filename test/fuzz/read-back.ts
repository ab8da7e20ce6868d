// Stored data can be read: after a successful change, the created or changed object is read and listed, and has the values of
// the change's own response.
import type { Body } from "../harness/test-app.ts";
import { OPERATION_BY_ID } from "./document.ts";
import type { Operation } from "./document.ts";
import type { FuzzRequest } from "./requests.ts";

/** One read of what a change has made. */
export interface Reading {
  readonly operation: Operation;
  readonly url: string;
  /** The error of the body that was read; null: none. */
  problem(body: Body): string | null;
}

/** What is known about a successful change. */
interface Made {
  /** Its response. */
  readonly body: Body;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly sent: Body;
}

interface Read {
  readonly id: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly problem?: (body: Body) => string | null;
}

/** Recorded in the background some time after what they tell of, so they may grow between a response and a reading. */
const RECORDED_LATER = ["activeAt", "failingSince"];

/** The members that both have, of those that are plain, say the same. */
function agree(made: Body, read: Body): string | null {
  for (const [name, value] of Object.entries(made as Record<string, unknown>)) {
    const other = read?.[name] as unknown;
    const isPlain = value === null || typeof value !== "object";
    const isLater = RECORDED_LATER.includes(name) && Number(other) >= Number(value);
    if (isPlain && other !== undefined && name in read && other !== value && !isLater) {
      return `${name}: ${JSON.stringify(value)} was answered, and ${JSON.stringify(other)} is read`;
    }
  }
  return null;
}

const item = (
  id: string,
  params: Readonly<Record<string, unknown>>,
  made: Body,
  of = (body: Body): Body => body,
): Read => {
  return { id, params, problem: (body) => agree(made, of(body)) };
};

/** A list whose newest page contains the created object. */
function listed(id: string, member: string | null, key: string, value: unknown, params = {}, query = {}): Read {
  const problem = (body: Body) => {
    const items: Body[] = member === null ? body : body[member];
    return items.some((one) => one[key] === value) ? null : `${id} does not list ${key} ${String(value)}`;
  };
  return { id, params, query: { limit: 100, ...query }, problem };
}

const projectOf = ({ query }: Made) => {
  const projectId = query.get("projectId");
  return projectId ? { projectId } : {};
};

const secret = ({ body }: Made): Read[] => [
  item("getSecret", { name: body.uid }, body),
  listed("listSecrets", "secrets", "uid", body.uid),
  { id: "listSecretNames", params: { name: body.uid } },
];

const firewall =
  (which: "active" | "draft") =>
  (made: Made): Read[] => [
    // A draft without changes is none.
    ...(made.body.changeCount === 0
      ? []
      : [{ id: "getFirewallConfig", params: { configVersion: which }, query: projectOf(made) }]),
    { id: "listFirewallConfigs", query: projectOf(made) },
  ];

const webhook = ({ body }: Made): Read[] => [
  item("getWebhook", { webhookId: body.id }, body),
  listed("listWebhooks", null, "id", body.id),
];

const trust = ({ body }: Made): Read[] => [
  item("getIdentityTrust", { trustId: body.trust.id }, body.trust, (read) => read.trust),
  listed("listIdentityTrusts", "trusts", "id", body.trust.id),
];

const user = ({ body }: Made): Read[] => [item("getUser", { uid: body.user.id }, body.user, (read) => read.user)];

const member = (uid: unknown, { params }: Made): Read[] => [
  { id: "getTeamMember", params: { teamId: params["teamId"], uid } },
  { id: "listTeamMembers", params: { teamId: params["teamId"] } },
];

/** The reads after a change, by its operation. */
const READ_BACKS: Readonly<Record<string, (made: Made) => readonly Read[]>> = {
  createUser: user,
  updateUser: user,
  updateCurrentUser: ({ body }) => [item("getUser", { uid: body.user.id }, body.user, (read) => read.user)],
  createToken: ({ body }) => [
    item("getToken", { tokenId: body.token.id }, body.token, (read) => read.token),
    listed("listTokens", "tokens", "id", body.token.id),
  ],
  createApiKey: ({ body }) => [
    item("getApiKey", { keyId: body.apiKey.id }, body.apiKey, (read) => read.apiKey),
    listed("listApiKeys", "apiKeys", "id", body.apiKey.id),
  ],
  rotateApiKey: ({ body }) => [item("getApiKey", { keyId: body.apiKey.id }, body.apiKey, (read) => read.apiKey)],
  adoptApiKey: ({ body }) => [item("getApiKey", { keyId: body.apiKey.id }, body.apiKey, (read) => read.apiKey)],
  createIdentityTrust: trust,
  updateIdentityTrust: trust,
  createTeam: ({ body }) => [item("getTeam", { teamId: body.id }, body)],
  updateTeam: ({ body }) => [item("getTeam", { teamId: body.id }, body)],
  updateTeamMember: (made) => member(made.params["uid"], made),
  createInvite: ({ body, params }) => [
    listed("listInvites", "invites", "id", body.invite.id, { teamId: params["teamId"] }),
  ],
  requestAccess: ({ params }) => [{ id: "listTeamMembers", params: { teamId: params["teamId"] } }],
  createSecret: secret,
  createNamedSecret: secret,
  generateSecret: secret,
  updateSecret: secret,
  putSecretValue: secret,
  restoreSecret: secret,
  createProject: ({ body }) => [
    item("getProject", { idOrName: body.id }, body),
    listed("listProjects", "projects", "id", body.id),
  ],
  setAttackMode: (made) => [
    { id: "getAttackMode", query: { projectId: made.sent.projectId ?? made.query.get("projectId") ?? "default" } },
    { id: "listProjects" },
  ],
  addBypass: (made) => [{ id: "listBypasses", query: { ...projectOf(made), limit: 100 } }],
  addBypassRule: (made) => [{ id: "listBypassRules", query: { ...projectOf(made), limit: 100 } }],
  replaceBypassRule: (made) => [{ id: "listBypassRules", query: { ...projectOf(made), limit: 100 } }],
  putFirewallConfig: firewall("active"),
  updateFirewallConfig: firewall("active"),
  activateFirewallConfig: firewall("active"),
  updateFirewallDraft: firewall("draft"),
  reportTraffic: (made) => [
    { id: "listTrafficActions", query: { projectId: made.query.get("projectId") ?? "default" } },
    { id: "getAttackStatus", query: projectOf(made) },
  ],
  createWebhook: webhook,
  updateWebhook: webhook,
  rotateWebhookSecret: webhook,
  replayWebhook: ({ body, params }) => [
    item(
      "getReplay",
      { webhookId: params["webhookId"], replayId: body.replay.id },
      { id: body.replay.id },
      (read) => read.replay,
    ),
    { id: "listDeliveries", params: { webhookId: params["webhookId"] } },
  ],
  publishEvent: ({ body }) => [listed("listEvents", "events", "id", body.id, {}, { withPayload: true })],
  createCheckpoint: () => [{ id: "listCheckpoints" }],
};

function urlOf(
  { template, queryParameters }: Operation,
  { params = {}, query = {} }: Read,
  teamId: string | null,
): string {
  const path = template.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(String(params[name])));
  // What is about the whole instance takes no team.
  const takesTeam = queryParameters.some(({ name }) => name === "teamId") && !template.includes("{teamId}");
  const members: [string, unknown][] = Object.entries({ ...query, ...(takesTeam && teamId !== null && { teamId }) });
  return `${path}?${new URLSearchParams(members.map(([name, value]) => [name, String(value)])).toString()}`;
}

/** The parameters that a path names. */
function paramsOf({ template }: Operation, path: string): Record<string, string> {
  const values = path.split("/");
  const named = template.split("/").flatMap((segment, at): [string, string][] => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    return name === undefined ? [] : [[name, decodeURIComponent(values[at] as string)]];
  });
  return Object.fromEntries(named);
}

/** How to read what a request, which succeeded, has made for `teamId`, or for an account. */
export function readingsOf(operation: Operation, request: FuzzRequest, body: Body, teamId: string | null): Reading[] {
  const [path = "", search = ""] = request.url.split("?");
  const made: Made = {
    body,
    params: paramsOf(operation, path),
    query: new URLSearchParams(search),
    // A body may have been sent as text.
    sent: request.body ?? {},
  };
  // A dry run stores nothing.
  const isDry = made.query.get("dryRun") === "true";
  const reads = isDry ? [] : (READ_BACKS[operation.canonicalId]?.(made) ?? []);
  return reads.map((read) => {
    const reader = OPERATION_BY_ID.get(read.id);
    if (!reader) throw new Error(`no operation ${read.id}`);
    return { operation: reader, url: urlOf(reader, read, teamId), problem: (one) => read.problem?.(one) ?? null };
  });
}

// Calls of one project's firewall.
import assert from "node:assert/strict";
import type { TestResponse, Body, RecordedEvent, TestApp } from "../harness/test-app.ts";

type Headers = Readonly<Record<string, string>>;

interface CallOptions {
  readonly body?: unknown;
  readonly query?: string;
  readonly headers?: Headers;
}

export interface Firewall {
  /** Any call below `/v1/firewalls`. */
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  put(body: unknown, headers?: Headers): Promise<TestResponse>;
  /** PATCH of the active configuration, and of the draft. */
  patch(body: unknown, headers?: Headers): Promise<TestResponse>;
  stage(body: unknown, headers?: Headers): Promise<TestResponse>;
  get(version?: string | number): Promise<TestResponse>;
  activate(version: string | number, body?: unknown, headers?: Headers): Promise<TestResponse>;
  discard(headers?: Headers): Promise<TestResponse>;
  list(query?: string): Promise<Body>;
  /** What differs; the response has to be one. */
  diff(from: string | number, to: string | number): Promise<Body>;
  /** PUT of a configuration, enabled unless it says otherwise; it has to be taken. */
  set(config?: object): Promise<Body>;
  /** The active configuration, or a version; it has to be there. */
  read(version?: string | number): Promise<Body>;
}

/** Of a project of the account behind `token`, or of one of a team as that account or key sees it. */
export function openFirewall(
  { request }: Pick<TestApp, "request">,
  token: string,
  projectId = "default",
  teamId?: string,
): Firewall {
  const scope = `projectId=${projectId}${teamId === undefined ? "" : `&teamId=${teamId}`}`;
  const sent = (body: unknown, headers: Headers = {}) => ({ headers, ...(body === undefined ? {} : { body }) });
  const checked = ({ status, body, text }: TestResponse): Body => {
    assert.equal(status, 200, text.slice(0, 1_000));
    return body;
  };
  const self: Firewall = {
    call: (method, path, { query = "", ...options } = {}) =>
      request(method, `/v1/firewalls${path}?${scope}&${query}`, { token, ...options }),
    put: (body, headers) => self.call("PUT", "", sent(body, headers)),
    patch: (body, headers) => self.call("PATCH", "", sent(body, headers)),
    stage: (body, headers) => self.call("PATCH", "/draft", sent(body, headers)),
    get: (version = "active") => self.call("GET", `/${version}`),
    activate: (version, body, headers) => self.call("POST", `/${version}/activate`, sent(body, headers)),
    discard: (headers = {}) => self.call("DELETE", "/draft", { headers }),
    list: async (query = "") => checked(await self.call("GET", "", { query })),
    diff: async (from, to) => checked(await self.call("GET", `/${from}/diff/${to}`)),
    set: async (config = {}) => checked(await self.put({ firewallEnabled: true, ...config })).active,
    read: async (version) => checked(await self.get(version)),
  };
  return self;
}

/** What every configuration answers of categories that nobody has set. */
export const CRS_OFF: Body = Object.fromEntries(
  "sd ma lfi rfi rce php gen xss sqli sf java".split(" ").map((name) => [name, { active: false, action: "log" }]),
);

/** A rule that denies what begins with a path, as a client sends it. */
export function denyPath(name: string, more: object = {}): Body {
  return {
    name,
    active: true,
    conditionGroup: [{ conditions: [{ type: "path", op: "pre", value: `/${name}` }] }],
    action: { mitigate: { action: "deny" } },
    ...more,
  };
}

/** A rule of one condition. */
export function ruleOf(condition: object): Body {
  return denyPath("one", { conditionGroup: [{ conditions: [condition] }] });
}

/** What the configuration says and its version does not: the part that a PUT brings. */
export function saidBy(document: Body): Body {
  const {
    ownerId: _ownerId,
    projectKey: _projectKey,
    id: _id,
    version: _version,
    updatedAt: _updatedAt,
    changes: _changes,
    note: _note,
    basedOn: _basedOn,
    changeCount: _changeCount,
    cost: _cost,
    createdBy: _createdBy,
    enforcedBy: _enforcedBy,
    ...said
  } = document;
  return {
    ...said,
    ...(said.conditions && {
      conditions: said.conditions.map(({ validationErrors = null, ...shared }: Body) => {
        if (shared.conditionGroup.length === 0) assert.match(validationErrors[0], /never matches$/);
        return shared;
      }),
    }),
    rules: said.rules.map(({ valid, validationErrors, ...rule }: Body) => {
      assert.equal(valid, true);
      // Whatever its conditions say, a rule without any is said to match nothing.
      if (rule.conditionGroup.length === 0) assert.match(validationErrors[0], /never matches$/);
      return rule;
    }),
  };
}

/** The paths of all faults of a refusal, in their order. */
export function errorsOf({ status, body, text }: TestResponse): string[] {
  assert.deepEqual([status, body.error?.code], [400, "invalid_firewall"], text.slice(0, 1_000));
  const { errors, field, message } = body.error;
  assert.equal(field, errors[0].field);
  assert.ok(message.startsWith(`${field.replace(/^body\./, "")}: ${errors[0].message}`), message);
  return errors.map((fault: Body) => fault.field);
}

/** What came of a call: `ok`, or the code that refused it. */
export function outcome({ status, body }: TestResponse): string {
  return status < 300 ? "ok" : body.error.code;
}

/** What was recorded of an owner's firewalls, oldest first. */
export async function firewallEvents(
  { readEvents }: Pick<TestApp, "readEvents">,
  ownerId: string,
): Promise<RecordedEvent[]> {
  return (await readEvents(ownerId)).filter(({ type }) => type.startsWith("firewall-"));
}

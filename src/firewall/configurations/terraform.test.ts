// The requests that the Terraform provider sends for a firewall, attack challenge mode and bypasses, in order, and the state that
// it derives from each response: an applied plan must read back as planned.
import assert from "node:assert/strict";
import { test } from "node:test";
import { START_TIME, startOwnApp } from "../../../test/harness/test-app.ts";
import type { TestResponse, Body } from "../../../test/harness/test-app.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

const { request, createUser, createTeam } = await startOwnApp();

const PROJECT = "prj_2WjyKQmM8ZnGcJsPWMrHRHrE";
const OFF = { active: false, action: "log" };
const CATEGORIES = ["sd", "ma", "lfi", "rfi", "rce", "php", "gen", "xss", "sqli", "sf", "java"];

/** The provider sends every category that the plan does not name as inactive. */
const crsOf = (planned: object) => ({
  ...Object.fromEntries(CATEGORIES.map((category) => [category, OFF])),
  ...planned,
});

/** The provider always sends `neg`, `key` and `value`. */
const condition = (part: object) => ({ op: "eq", neg: false, key: "", value: "", ...part });

const PLAN = {
  firewallEnabled: true,
  managedRules: { owasp: { active: true }, bot_protection: { active: true, action: "challenge" } },
  crs: crsOf({ xss: { active: true, action: "deny" }, sqli: { active: true, action: "log" } }),
  rules: [
    {
      name: "Block admin",
      description: "",
      active: true,
      conditionGroup: [
        {
          conditions: [
            condition({ type: "path", op: "pre", value: "/admin" }),
            condition({ type: "ip_address", op: "ninc", value: ["192.0.2.0/24", "198.51.100.7"] }),
          ],
        },
        { conditions: [condition({ type: "header", op: "ex", key: "x-probe" })] },
      ],
      action: { mitigate: { action: "deny", actionDuration: "5m" } },
    },
    {
      name: "Limit the interface",
      description: "By client",
      active: true,
      conditionGroup: [{ conditions: [condition({ type: "path", op: "re", neg: true, value: "^/(?:assets|img)/" })] }],
      action: {
        mitigate: {
          action: "rate_limit",
          rateLimit: { algo: "fixed_window", window: 60, limit: 300, keys: ["ip", "ja4"], action: "" },
        },
      },
    },
    {
      name: "Away with the old",
      description: "",
      active: false,
      conditionGroup: [{ conditions: [condition({ type: "path", value: "/old" })] }],
      action: { mitigate: { action: "redirect", redirect: { location: "/new", permanent: false } } },
    },
  ],
  ips: [
    { hostname: "*", ip: "203.0.113.0/24", notes: "Noise", action: "deny" },
    { hostname: "shop.example.com", ip: "2001:db8::/48", notes: "", action: "bypass" },
  ],
};

/** A project of a team; with an empty `teamId`, of the user's own account. */
async function openProject(isTeam: boolean) {
  const { token, id } = await createUser();
  const team = isTeam ? await createTeam({ token } as Parameters<typeof createTeam>[0]) : null;
  const scope = `projectId=${PROJECT}&teamId=${team?.id ?? ""}`;
  const send = async (method: string, path: string, body?: unknown): Promise<TestResponse> =>
    await request(method, path, { token, ...(body === undefined ? {} : { body }) });
  const config = `/v1/security/firewall/config?${scope}`;
  return {
    ownerId: team?.id ?? id,
    put: async (body: object): Promise<Body> => {
      const response = await send("PUT", config, body);
      assert.equal(response.status, 200, response.text);
      assert.equal(response.body.error, undefined);
      return response.body.active;
    },
    patch: (body: object) => send("PATCH", config, body),
    read: () => send("GET", config.replace("?", "/active?")),
    mode: (body: object) =>
      send("POST", `/security/attack-mode?teamId=${team?.id ?? ""}`, { projectId: PROJECT, ...body }),
    project: () => send("GET", `/v10/projects/${PROJECT}?teamId=${team?.id ?? ""}`),
  };
}

/** The provider's state of a configuration: its plan with the ids. */
function stateOf({ firewallEnabled, managedRules, crs, rules, ips }: Body): Body {
  return {
    firewallEnabled,
    managedRules: Object.fromEntries(
      Object.entries(managedRules as Record<string, Body>).map(([name, { active, action }]) => [
        name,
        { active, ...(action && { action }) },
      ]),
    ),
    crs,
    rules: rules.map(({ valid, validationErrors, ...rule }: Body) => {
      assert.deepEqual([valid, validationErrors], [true, null]);
      const { rateLimit } = rule.action.mitigate;
      // Null leaves the provider's text empty.
      if (rateLimit) rateLimit.action ??= "";
      return rule;
    }),
    ips,
  };
}

function withoutIds({ rules, ips, ...rest }: Body): Body {
  const idless = (items: Body[]) => items.map(({ id: _id, ...item }) => item);
  return { ...rest, rules: idless(rules), ips: idless(ips) };
}

for (const isTeam of [true, false]) {
  test(`a firewall of ${isTeam ? "a team" : "an account"} is created, read, changed and deleted`, async () => {
    const { ownerId, put, read } = await openProject(isTeam);
    const absent = await read();
    assert.deepEqual([absent.status, absent.body.error.code], [404, "not_found"]);

    const made = await put(PLAN);
    assert.equal(made.ownerId, ownerId);
    assert.deepEqual((await read()).body, made);
    const state = stateOf(made);
    assert.deepEqual(withoutIds(state), PLAN);

    // Applying again, with and without the ids of the state, changes nothing.
    assert.equal((await put(state)).version, 1);
    assert.equal((await put(PLAN)).version, 1);

    const [block, limit, away] = state.rules;
    const changed = {
      ...state,
      crs: crsOf({}),
      rules: [away, { ...limit, name: "Limit more" }, { ...PLAN.rules[0], name: "New" }, block],
      ips: [state.ips[1]],
    };
    const update = stateOf(await put(changed));
    const { id } = update.rules[2];
    assert.ok(![block.id, limit.id, away.id].includes(id));
    assert.deepEqual(update, { ...changed, rules: changed.rules.with(2, { id, ...changed.rules[2] }) });

    const gone = await put({ firewallEnabled: false });
    assert.deepEqual([gone.firewallEnabled, gone.rules, gone.ips, gone.managedRules], [false, [], [], undefined]);
    const after = await read();
    assert.deepEqual([after.status, after.body.firewallEnabled], [200, false]);
  });
}

test("an invalid plan is rejected with the error format that the provider reads, and changes nothing", async () => {
  const { put, patch, read } = await openProject(true);
  const made = await put(PLAN);
  const bad = {
    ...PLAN.rules[0],
    conditionGroup: [{ conditions: [condition({ type: "header", op: "eq", value: "x" })] }],
  };
  const { status, body } = await patch({ action: "rules.insert", id: "", value: bad });
  assert.equal(status, 400);
  assert.equal(typeof body.error.code, "string");
  assert.match(body.error.message, /^value\.conditionGroup\[0\]\.conditions\[0\]\.key/);
  assert.deepEqual((await read()).body, made);
});

test("single changes by PATCH", async () => {
  const { put, patch, read } = await openProject(true);
  const made = stateOf(await put(PLAN));
  const apply = async (body: object) => {
    const { status, text } = await patch(body);
    assert.equal(status, 200, text);
    return stateOf((await read()).body);
  };
  const entry = { hostname: "*", ip: "192.0.2.9", notes: "", action: "challenge" };
  const inserted = await apply({ action: "ip.insert", id: null, value: entry });
  const { id } = inserted.ips[2];
  assert.deepEqual(inserted, { ...made, ips: [...made.ips, { id, ...entry }] });
  const updated = await apply({ action: "ip.update", id, value: { ...entry, action: "deny" } });
  assert.deepEqual(updated.ips[2], { id, ...entry, action: "deny" });
  assert.deepEqual(await apply({ action: "ip.remove", id, value: null }), made);
  const off = await apply({ action: "firewallEnabled", id: null, value: false });
  assert.deepEqual(off, { ...made, firewallEnabled: false });
});

test("attack challenge mode reads back from the project, with an end and without one", async () => {
  const { mode, project } = await openProject(true);
  const end = START_TIME + HOUR_MS;
  for (const [planned, expected] of [
    [{ attackModeEnabled: true, attackModeActiveUntil: end }, [true, end]],
    [{ attackModeEnabled: true, attackModeActiveUntil: null }, [true, null]],
    [{ attackModeEnabled: false, attackModeActiveUntil: null }, [false, null]],
  ] as const) {
    const { status, text } = await mode(planned);
    assert.equal(status, 200, text);
    const { id, security } = (await project()).body;
    assert.equal(id, PROJECT);
    assert.deepEqual([security.attackModeEnabled, security.attackModeActiveUntil ?? null], expected);
  }
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { startTestApp } from "../../../test/harness/test-app.ts";
import type { Body } from "../../../test/harness/test-app.ts";
import { openEnvironments } from "../../../test/resources/environments.ts";
import { openVault, outcome } from "../../../test/resources/secrets.ts";
import { createKey } from "../../../test/resources/api-keys.ts";

const app = await startTestApp();
const { createTeam, createUser, readEvents, request } = app;

async function open(project = "shop") {
  const user = await createUser();
  return { user, vault: openVault(app, user.token), env: openEnvironments(app, user.token, project) };
}

const keysOf = ({ entries }: Body) => entries.map(({ key, from }: Body) => `${key} ${from}`);

test("a project has three environments once anything is stored in one, and is not found before", async () => {
  const { user, env } = await open();
  const listed = async () =>
    (await env.call("GET", "")).body.environments.map(({ name, version }: Body) => `${name} ${version}`);
  for (const path of ["", "/preview", "/preview/versions", "/preview/diff"]) {
    const { status, body } = await env.call("GET", path);
    assert.deepEqual([status, body.error.projectId], [404, "shop"], path);
  }
  const projects = async () => (await request("GET", "/v9/projects", { token: user.token })).body.projects;
  assert.deepEqual(await projects(), []);
  await env.set("preview", { A: { value: "1" } });
  assert.deepEqual(await listed(), ["production 0", "preview 1", "development 0"]);
  assert.deepEqual((await env.get("development")).entries, []);
  assert.deepEqual(
    (await projects()).map(({ id }: Body) => id),
    ["shop"],
  );
});

test("one change sets and removes entries of several environments, and shows what differs without values", async () => {
  const { user, vault, env } = await open();
  await vault.add("db");
  await env.set("production", { OLD: { value: "old" }, LEVEL: { value: "info" } });
  const { status, body, text } = await env.change(
    {
      production: {
        set: { DB: { secret: "DB" }, LEVEL: { value: "debug-text" }, KEY: { secretValue: "hidden-text" } },
        remove: ["OLD", "NEVER"],
      },
      preview: { set: { LEVEL: { value: "debug-text" } } },
    },
    { note: "both" },
  );
  assert.equal(status, 200, text);
  const [production, preview] = body.environments;
  assert.deepEqual([production.previousVersion, production.version, preview.version], [1, 2, 1]);
  assert.deepEqual(
    production.added.map(({ key, secret }: Body) => [key, secret.name, secret.state]),
    [
      ["DB", "db", "ready"],
      ["KEY", "shop.production.KEY", "ready"],
    ],
  );
  assert.deepEqual(
    [
      production.changed.map(({ key, changes }: Body) => [key, changes]),
      production.removed.map(({ key }: Body) => key),
    ],
    [[["LEVEL", ["value"]]], ["OLD"]],
  );
  assert.doesNotMatch(text, /hidden-text|debug-text/);
  const events = (await readEvents(user.id)).filter(({ type }) => type === "environment-values-changed");
  assert.deepEqual(
    events.map(({ payload: { environment, version, added, changed, removed } }) => [
      environment,
      version,
      added,
      changed,
      removed,
    ]),
    [
      ["production", 1, ["LEVEL", "OLD"], [], []],
      ["production", 2, ["DB", "KEY"], ["LEVEL"], ["OLD"]],
      ["preview", 1, ["LEVEL"], [], []],
    ],
  );
  assert.doesNotMatch(JSON.stringify(await readEvents(user.id)), /hidden-text|debug-text/);
  const values = (await env.values("production")).body;
  assert.deepEqual(values, { DB: "value of db", KEY: "hidden-text", LEVEL: "debug-text" });
});

test("a dry run shows the same and changes nothing", async () => {
  const { user, vault, env } = await open();
  const before = (await readEvents(user.id)).length;
  const change = { production: { set: { KEY: { secretValue: "x" }, PLAIN: { value: "y" } } } };
  const dry = (await env.change(change, {}, "dryRun=true")).body;
  assert.deepEqual(
    [dry.isDryRun, dry.environments[0].version, dry.environments[0].added[0].secret],
    [true, 0, { uid: null, name: "shop.production.KEY", version: null, state: "new" }],
  );
  assert.deepEqual([await vault.listNames(), (await readEvents(user.id)).length], [[], before]);
  assert.equal((await env.change(change)).body.environments[0].version, 1);
});

test("a value is stored as a secret that is made for the entry, and later ones as its versions", async () => {
  const { vault, env } = await open();
  await vault.add("shared");
  await env.set("production", { KEY: { secretValue: "one" }, S: { secret: "shared" } });
  const again = await env.set("production", { KEY: { secretValue: "two" } });
  assert.deepEqual([again.version, again.changed[0].changes, again.changed[0].after.secret.version], [2, ["value"], 2]);
  await env.set("production", { S: { secretValue: "own" } });
  assert.deepEqual((await vault.listNames()).toSorted(), ["shared", "shop.production.KEY", "shop.production.S"]);
  assert.equal((await vault.reveal("shared")).body.value, "value of shared");
  assert.deepEqual((await env.values("production")).body, { KEY: "two", S: "own" });
  // Equal values of one change share a secret until one of them is set alone.
  await env.change({
    preview: { set: { B: { secretValue: "b" } } },
    development: { set: { B: { secretValue: "b" } } },
  });
  const idOf = async (name: string) => (await env.get(name)).entries.find(({ key }: Body) => key === "B").id;
  assert.equal(await idOf("preview"), await idOf("development"));
  await env.set("preview", { B: { secretValue: "c" } });
  assert.notEqual(await idOf("preview"), await idOf("development"));
  assert.deepEqual([(await env.values("preview")).body.B, (await env.values("development")).body.B], ["c", "b"]);
});

test("entries follow renames of their secrets, and are inherited and overridden", async () => {
  const { vault, env } = await open();
  await vault.add("first");
  assert.equal((await env.call("POST", "", { body: { name: "staging", inheritsFrom: "preview" } })).status, 200);
  await env.call("PATCH", "/preview", { body: { inheritsFrom: "production" } });
  await env.set("production", { A: { secret: "first" }, B: { value: "p" } });
  await env.set("preview", { B: { value: "q" } });
  await env.set("staging", { C: { value: "" } });
  await vault.change("first", { name: "second" });
  const staging = await env.get("staging");
  assert.deepEqual(keysOf(staging), ["A production", "B preview", "C staging"]);
  assert.deepEqual(
    [staging.entries[0].secret.name, staging.entries[0].isInherited, staging.entries[2].isInherited],
    ["second", true, false],
  );
  assert.deepEqual((await env.values("staging")).body, { A: "value of first", B: "q", C: "" });
  const circle = await env.call("PATCH", "/production", { body: { inheritsFrom: "staging" } });
  assert.deepEqual(
    [circle.status, outcome(circle), circle.body.error.field],
    [400, "invalid_environment", "body.inheritsFrom"],
  );
  assert.equal(
    outcome(await env.call("PATCH", "/production", { body: { inheritsFrom: "none" } })),
    "invalid_environment",
  );
  const dry = { query: "dryRun=true" };
  await env.call("POST", "", { body: { name: "qa", inheritsFrom: "staging" } });
  for (const options of [dry, {}]) {
    const used = await env.call("DELETE", "/preview", options);
    assert.equal(outcome(used), "environment_in_use");
    const heirs = await env.call("DELETE", "/staging", options);
    assert.deepEqual([outcome(heirs), heirs.body.error.environments], ["environment_in_use", ["qa"]]);
  }
  const kept = await env.call("DELETE", "/qa", dry);
  assert.deepEqual([outcome(kept), kept.body.name], ["ok", "qa"]);
  assert.equal(outcome(await env.call("DELETE", "/qa")), "ok");
  assert.equal(outcome(await env.call("DELETE", "/staging")), "ok");
  assert.equal((await env.call("GET", "/staging")).status, 404);
});

test("wrong input is refused by the name of its field, and changes nothing", async () => {
  const { vault, env } = await open();
  await vault.add("sealed", { decryptable: false });
  await env.set("production", { KEPT: { value: "1" } });
  const good = { NEW: { secretValue: "x" } };
  const at = "environments.production.set";
  for (const [change, field, code] of [
    [{ set: { ...good, "1A": { value: "x" } } }, `${at}.1A`, "invalid_environment"],
    [{ set: { ...good, A: {} } }, `${at}.A`, "invalid_environment"],
    [{ set: { ...good, A: { value: "x", secret: "y" } } }, `${at}.A`, "invalid_environment"],
    [{ set: { ...good, A: { secret: "absent" } } }, `${at}.A.secret`, "invalid_environment"],
    [{ set: { ...good, A: { secret: "sealed" } } }, `${at}.A.secret`, "secret_not_decryptable"],
    [{ set: { ...good, A: { value: "x".repeat(65_537) } } }, `${at}.A.value`, "invalid_environment"],
    [{ set: { ...good, A: { secretValue: "x".repeat(65_537) } } }, `${at}.A.secretValue`, "invalid_secret_value"],
    [{ set: { ...good, A: { value: 1 } } }, `${at}.A.value`, "bad_request"],
    [{ set: good, remove: ["NEW"] }, `${at}.NEW`, "invalid_environment"],
    [{ set: good, remove: ["a-b"] }, "environments.production.remove[0]", "invalid_environment"],
  ] as const) {
    const { body } = await env.change({ production: change });
    assert.equal(body.error?.code, code, JSON.stringify(body));
    assert.ok(body.error.message.startsWith(`${field}: `), body.error.message);
  }
  const none = await env.change({ nowhere: { set: good } });
  assert.match(none.body.error.message, /^environments\.nowhere: expected one of production/);
  assert.equal((await env.call("POST", "", { body: { name: "Not_A" } })).body.error.field, "body.name");
  assert.equal(outcome(await env.call("POST", "", { body: { name: "preview" } })), "environment_exists");
  assert.deepEqual(await vault.listNames(), ["sealed"]);
  assert.deepEqual((await env.values("production")).body, { KEPT: "1" });
});

test("of two changes at once both take effect, and with a version expected one does", async () => {
  const { env } = await open();
  const changes = ["A", "B"].map((key) => env.change({ production: { set: { [key]: { value: key } } } }));
  assert.deepEqual((await Promise.all(changes)).map(outcome), ["ok", "ok"]);
  assert.deepEqual((await env.values("production")).body, { A: "A", B: "B" });
  const twins = await Promise.all(
    ["C", "D"].map((key) =>
      env.change({ production: { set: { [key]: { value: key } } } }, { expectedVersions: { production: 2 } }),
    ),
  );
  assert.deepEqual(twins.map(outcome).toSorted(), ["ok", "version_conflict"]);
  const stale = twins.find(({ status }) => status === 409);
  assert.deepEqual([stale?.body.error.environment, stale?.body.error.currentVersion], ["production", 3]);
  const settings = await env.call("PATCH", "/production", {
    body: { inheritsFrom: "preview" },
    headers: { "if-match": '"2"' },
  });
  assert.deepEqual([settings.status, settings.headers["etag"]], [412, '"3"']);
});

test("there are fifty environments and a thousand entries at most, and a bounded size", async () => {
  const { env } = await open("limits");
  for (let at = 3; at < 50; at++) {
    assert.equal(outcome(await env.call("POST", "", { body: { name: `e${at}` } })), "ok");
  }
  assert.equal(outcome(await env.call("POST", "", { body: { name: "more" } })), "invalid_environment");
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`K${at}`, { value: "x" }]));
  assert.equal((await env.set("production", many)).added.length, 1_000);
  const over = await env.change({ production: { set: { MORE: { value: "x" } } } });
  assert.match(over.body.error.message, /^environments\.production: expected at most 1000 entries/);
  const large = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`L${at}`, { value: "x".repeat(65_000) }]));
  const tooLarge = await env.change({ preview: { set: large } });
  assert.match(tooLarge.body.error.message, /^environments\.preview: expected at most 524288 bytes/);
  for (let at = 3; at < 12; at++) assert.equal(outcome(await env.change({ [`e${at}`]: { set: many } })), "ok");
  const beyond = await env.change({ e12: { set: { MORE: { value: "x" } } } });
  assert.match(beyond.body.error.message, /^environments: expected at most 10000 entries in a project, got 10001/);
  assert.equal(outcome(await env.change({ e12: { set: { MORE: { value: "x" } } }, e3: { remove: ["K0"] } })), "ok");
});

test("roles decide who sees, changes and reads values, and strangers see nothing", async () => {
  const owner = await createUser();
  const team = await createTeam(owner);
  const of = (token: string) => openEnvironments(app, token, "shop", team.id);
  await of(owner.token).set("production", { A: { value: "1" } });
  const keyOf = async (role: string) =>
    (await createKey(app, owner.token, `?teamId=${team.id}`, { role })).body.value as string;
  const may = async (token: string) => [
    (await of(token).call("GET", "/production")).status,
    (await of(token).change({ production: { set: { A: { value: "2" } } } }, {}, "dryRun=true")).status,
    (await of(token).values("production")).status,
  ];
  assert.deepEqual(await may(await keyOf("MEMBER")), [200, 200, 200]);
  assert.deepEqual(await may(await keyOf("SECURITY")), [200, 403, 403]);
  assert.deepEqual(await may(await keyOf("VIEWER")), [200, 403, 403]);
  assert.deepEqual(await may(await keyOf("BILLING")), [403, 403, 403]);
  assert.deepEqual(await may((await createUser()).token), [404, 404, 404]);
});

test("keys that differ only in case get secrets of their own, as the dry run says", async () => {
  const { env } = await open();
  const set = { http_proxy: { secretValue: "one" }, HTTP_PROXY: { secretValue: "other" } };
  const names = async (query: string) => {
    const { status, body, text } = await env.change({ production: { set } }, {}, query);
    assert.equal(status, 200, text);
    return body.environments[0].added.map(({ key, secret }: Body) =>
      `${key} ${secret.name}`.replace(/\.\w{8}$/, ".random"),
    );
  };
  const expected = ["HTTP_PROXY shop.production.HTTP_PROXY.random", "http_proxy shop.production.http_proxy"];
  assert.deepEqual([await names("dryRun=true"), await names("")], [expected, expected]);
  assert.deepEqual((await env.values("production")).body, { HTTP_PROXY: "other", http_proxy: "one" });
});

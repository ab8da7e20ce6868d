// Publishing events through HTTP: what is recorded, who may publish, and what is refused.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createKey } from "../../../test/resources/api-keys.ts";
import { openFeed, sequencesOf } from "../../../test/resources/event-feed.ts";
import { startOwnApp } from "../../../test/harness/test-app.ts";
import type { Body, RequestOptions } from "../../../test/harness/test-app.ts";
import { PUBLISHABLE_NAMES, TERRAFORM_SPELLINGS } from "../../platform/kernel/clients/public-webhook-names.ts";
import { verifyEvents } from "../../cli/bodies/verify-events.ts";
import { MAX_PAYLOAD_BYTES } from "./contract.ts";
import { EVENT_TYPES } from "./types.ts";

const app = await startOwnApp();
const { request, createUser, createTeam, query, settings } = app;
const { find } = openFeed(app);

/** Creates a team, and a function that publishes to it. */
async function openTeam() {
  const user = await createUser();
  const team = await createTeam(user);
  return {
    user,
    team,
    publish: (body: object | string, options: RequestOptions = {}) =>
      request("POST", `/v1/events?teamId=${team.id}`, { token: user.token, body, ...options }),
    read: async (filter: string) => sequencesOf(await find(user, team, filter)),
  };
}

describe("a published event", () => {
  it("is recorded as it was sent, and returned in the form of the feed", async () => {
    const { user, team, publish } = await openTeam();
    const payload = {
      deployment: { id: "dpl_1", meta: {} },
      target: null,
      10: 1,
      alias: ["ä", 1.5, false, 2 ** 53 - 1],
    };
    const { status, body } = await publish({
      type: "deployment.created",
      payload,
      projectId: "shop",
      entityId: "dpl_1",
      text: "deployed shop",
    });
    assert.equal(status, 200);
    const [event] = await find(user, team, "&withPayload=true&limit=1");
    assert.deepEqual(body, event);
    const { sequence, type, categories, projectId, entityId, text, principalId, previous, next } = event;
    assert.deepEqual(
      { sequence, type, categories, projectId, entityId, text, principalId, previous, next },
      {
        sequence: 2,
        type: "deployment.created",
        categories: ["deployment"],
        projectId: "shop",
        entityId: "dpl_1",
        text: `${user.username} deployed shop`,
        principalId: user.id,
        previous: null,
        next: null,
      },
    );
    const [stored] = await query(`select payload from events where id = '${event.id}'`);
    assert.equal(stored?.["payload"], JSON.stringify(payload));
  });

  it("needs no more than a type", async () => {
    const { user, team, publish } = await openTeam();
    const { body } = await publish({ type: "flag.created" });
    assert.deepEqual([body.payload, body.entityId, "projectId" in body], [{}, team.id, false]);
    assert.equal(body.text, `${user.username} published flag.created`);
    assert.equal((await publish({ type: "flag.created", projectId: "shop" })).body.entityId, "shop");
    const own = await request("POST", "/v1/events", { token: user.token, body: { type: "flag.created" } });
    assert.equal(own.body.entityId, user.id);
  });

  it("belongs to the project that it names, whatever its payload says", async () => {
    const { user, team, publish, read } = await openTeam();
    await publish({ type: "project.renamed", payload: { projectId: "not a name" } });
    await publish({ type: "project.renamed", payload: { projectId: "other" }, projectId: "shop" });
    assert.deepEqual(await read("&projectIds=shop"), [3]);
    assert.deepEqual(await read("&projectIds=other,not a name"), []);
    const { body } = await request("GET", `/v9/projects?teamId=${team.id}`, { token: user.token });
    assert.deepEqual(
      body.projects.map(({ id }: Body) => id),
      ["shop"],
    );
  });

  it("is stored under the vocabulary's name when it was sent in Terraform's spelling", async () => {
    const { publish } = await openTeam();
    for (const [spelling, name] of TERRAFORM_SPELLINGS) {
      assert.equal((await publish({ type: spelling })).body.type, name);
    }
  });

  it("is found by its name and by globs, and its chain verifies", async () => {
    const { publish, read } = await openTeam();
    const types = ["deployment.ready", "deployment-ready", "domain.certificate.add", "deployment.error"];
    for (const type of types) assert.equal((await publish({ type, entityId: "x" })).status, 200);
    assert.deepEqual(await read("&types=deployment.ready"), [2]);
    assert.deepEqual(await read("&types=deployment.*"), [5, 2]);
    assert.deepEqual(await read("&types=deployment*&entityId=x"), [5, 3, 2]);
    assert.deepEqual(await read("&types=domain.certificate-add,team"), [4, 1]);
    assert.deepEqual(await read("&entityId=x&after=0"), [2, 3, 4, 5]);
    assert.deepEqual(await read("&types=*"), [5, 4, 3, 2, 1]);
    assert.equal((await verifyEvents(settings)).firstFault, null);
  });

  it("is recorded once when it is sent again with the same idempotency key", async () => {
    const { publish, read } = await openTeam();
    const body = { type: "budget.reached", payload: { limit: 100 } };
    const headers = { "idempotency-key": "budget-2030-01" };
    const first = await publish(body, { headers });
    const again = await publish(body, { headers });
    assert.deepEqual([first.status, again.status, again.text], [200, 200, first.text]);
    assert.deepEqual(
      [first.headers["idempotency-replayed"], again.headers["idempotency-replayed"]],
      [undefined, "true"],
    );
    const other = await publish({ ...body, payload: { limit: 101 } }, { headers });
    assert.deepEqual([other.status, other.body.error.code], [422, "idempotency_key_reused"]);
    assert.deepEqual(await read(""), [2, 1]);
  });
});

describe("publishing", () => {
  it("accepts the types that are listed as publishable, and refuses types that Reeve records itself", async () => {
    const { publish } = await openTeam();
    const { types } = (await request("GET", "/v1/events/types")).body;
    const named = (publishable: boolean) =>
      types.filter((type: Body) => type.publishable === publishable).map(({ name }: Body) => name) as string[];
    assert.deepEqual(new Set(named(true)), new Set(PUBLISHABLE_NAMES));
    assert.deepEqual(new Set(named(false)), new Set([...Object.keys(EVENT_TYPES), "test-webhook"]));
    for (const type of named(true)) assert.equal((await publish({ type })).status, 200, type);
    for (const type of named(false)) {
      const { status, body } = await publish({ type });
      assert.deepEqual([status, body.error.code, body.error.field], [400, "bad_request", "body.type"], type);
      assert.match(body.error.message, type === "test-webhook" ? /only a test of a webhook/ : /Reeve records itself/);
    }
  });

  it("refuses other names, with suggestions", async () => {
    const { publish, read } = await openTeam();
    for (const [type, hint] of [
      ["deployment.creted", ' did you mean "deployment.created"?'],
      ["domain.certificate-addd", ' did you mean "domain.certificate.add"?'],
      ["deployment.*", ' did you mean "deployment"?'],
      // The feed's filter accepts this name; publishing does not.
      ["deployment-creation-blocked", ""],
      ["secret-ad", ""],
      ["", ""],
    ]) {
      const { status, body } = await publish({ type });
      const message =
        `type: no event is called "${type}";${hint} GET /v1/events/types lists them all; ` +
        "those that are `publishable` can be published, and there are none of your own";
      assert.deepEqual([status, body.error.code, body.error.message], [400, "bad_request", message]);
    }
    assert.deepEqual(await read(""), [1], "nothing of it was recorded");
  });

  it("refuses members that no event has, and invalid values", async () => {
    const { publish } = await openTeam();
    const type = "alerts.triggered";
    for (const [field, body] of [
      ["body.type", {}],
      ["body.type", { type: "x".repeat(129) }],
      ["body.payload", { type, payload: [] }],
      ["body.payload", { type, payload: "{}" }],
      ["body.payload", { type, payload: null }],
      ["body.payload.a[1].b", `{"type":"${type}","payload":{"a":[1,{"b":9007199254740993}]}}`],
      ["body.payload.a", `{"type":"${type}","payload":{"a":-1e400}}`],
      ["body.projectId", { type, projectId: "a/b" }],
      ["body.projectId", { type, projectId: "x".repeat(101) }],
      ["body.entityId", { type, entityId: "" }],
      ["body.entityId", { type, entityId: "x".repeat(129) }],
      ["body.text", { type, text: "" }],
      ["body.text", { type, text: "x".repeat(501) }],
      ["body.actor", { type, actor: "somebody else" }],
      ["body.createdAt", { type, createdAt: 0 }],
    ] as const) {
      const { status, body: response } = await publish(body);
      assert.deepEqual([status, response.error.code, response.error.field], [400, "bad_request", field]);
    }
  });

  it("accepts payloads up to a size in bytes", async () => {
    const { publish, read } = await openTeam();
    const type = "message.created";
    const frame = Buffer.byteLength('{"text":""}');
    for (const [letter, bytes] of [
      ["x", 1],
      ["ä", 2],
      ['"', 2],
    ] as const) {
      const rest = MAX_PAYLOAD_BYTES - frame;
      const text = letter.repeat(Math.floor(rest / bytes)) + "x".repeat(rest % bytes);
      assert.equal((await publish({ type, payload: { text } })).status, 200);
      const { status, body } = await publish({ type, payload: { text: `${text}x` } });
      assert.deepEqual([status, body.error.code, body.error.field], [400, "bad_request", "body.payload"]);
      assert.match(body.error.message, /at most 262144 bytes of JSON, got 262145/);
    }
    assert.deepEqual(await read(""), [4, 3, 2, 1]);
  });

  it("requires the permission to write events", async () => {
    const { user, team, publish } = await openTeam();
    const body = { type: "deployment.ready" };
    for (const [role, status] of [
      ["MEMBER", 200],
      ["DEVELOPER", 403],
      ["SECURITY", 403],
      ["VIEWER", 403],
    ] as const) {
      const { value } = (await createKey(app, user.token, `?teamId=${team.id}`, { role })).body;
      const response = await request("POST", "/v1/events", { token: value, body });
      assert.equal(response.status, status, role);
      if (status === 200) assert.equal(response.body.principal.type, "app");
      else assert.deepEqual([response.body.error.resource, response.body.error.action], ["event", "write"]);
    }
    await query(`update memberships set role = 'DEVELOPER' where team_id = '${team.id}'`);
    assert.equal((await publish(body)).status, 403);
    const foreign = await publish(body, { token: (await createUser()).token });
    const absent = await request("POST", "/v1/events?teamId=team_absent", { token: user.token, body });
    assert.deepEqual([foreign.status, foreign.body], [404, absent.body]);
    assert.equal((await publish(body, { token: null })).status, 401);
  });
});

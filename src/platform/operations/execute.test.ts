// What executing an operation returns beside its result, and what it requires again: caches, callers without a credential and lapsed
// proofs depend on it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ENGINE, startOwnApp } from "../../../test/harness/test-app.ts";
import { openSession } from "../../../test/sign-in/open-session.ts";
import { instanceSettings } from "../../serve/config/instance-settings.ts";
import { ApiError } from "../kernel/errors.ts";
import { PROOF_MS } from "../kernel/giving.ts";
import type { Operation } from "../kernel/operation-registry.ts";
import type { Chunk } from "../kernel/stream.ts";
import { createRegistry, operations } from "../../serve/composition/registry.ts";
import { SYSTEM_CALLER } from "../../events/events/system.ts";
import { NO_SCOPE } from "./authorize.ts";
import { executeMutation, executeQuery, resultOf } from "./execute.ts";
import type { OperationRequest } from "./execute.ts";
import { readIdempotencyKey } from "./idempotency.ts";

const api = await startOwnApp();
const { app, clock, createTeam, createUser, request, settings, withStore } = api;

/** One that refuses by what it returns, as those do that record the refusal. */
const REFUSAL = new ApiError("secret_unreadable", "This does not open", { uid: "secret" }, "look at the disk");
const refusing: Operation = {
  id: "refuse",
  endpoint: (operations.get("listUsers") as Operation).endpoint,
  handler: () => REFUSAL,
};
const registry = {
  ...createRegistry(app.runner.keyring),
  operations: new Map([...operations, [refusing.id, refusing]]),
};

/** A call by Reeve itself, as the command line makes it. */
function requestOf(operation: string, more: Partial<OperationRequest> = {}): OperationRequest {
  return {
    operation,
    identity: { caller: SYSTEM_CALLER },
    scope: NO_SCOPE,
    params: {},
    query: {},
    body: undefined,
    now: clock.now,
    ifMatch: null,
    origin: { ip: "", userAgent: null, requestId: "request", via: "cli" },
    instance: instanceSettings(settings),
    idempotency: null,
    ...more,
  };
}

const read = (asked: OperationRequest) =>
  withStore(({ reader }) => executeQuery(registry, reader, asked, SYSTEM_CALLER));
const write = (asked: OperationRequest) =>
  withStore((store) => store.transaction((tx) => executeMutation(registry, tx, asked)));

test("Reeve itself makes no key or trust rule of a team, for which a person has to answer, and is not taken for a key", async () => {
  const { id: teamId } = await createTeam(await createUser());
  const trust = {
    name: "t",
    issuer: "https://token.actions.githubusercontent.com",
    claims: { repository: "acme/shop" },
    role: "VIEWER",
  };
  for (const [operation, body] of [
    ["createApiKey", { name: "k", role: "VIEWER" }],
    ["createIdentityTrust", trust],
  ] as const) {
    await assert.rejects(write(requestOf(operation, { scope: { ...NO_SCOPE, teamId }, body })), (error: ApiError) => {
      assert.equal(error.code, "forbidden", error.message);
      assert.match(error.message, /^Not authorized: a user has to answer for /);
      assert.doesNotMatch(error.message, /adopt|this API key/);
      return true;
    });
  }
});

test("a caller without a credential has no idempotency keys: each of its calls is executed", async () => {
  const { id: teamId } = await createTeam(await createUser());
  const create = (name: string) =>
    write(
      requestOf("createSecret", {
        scope: { ...NO_SCOPE, teamId },
        idempotency: readIdempotencyKey("one", "no credential", "the same"),
        body: { name, value: "x" },
      }),
    );
  for (const name of ["A", "B"]) {
    const { result, ownerId } = await create(name);
    assert.deepEqual([(result as { name: string }).name, ownerId], [name, teamId]);
  }
});

test("a read says whose rows it depends on where those are one owner's", async () => {
  const { id } = await createTeam(await createUser());
  const team = await read(requestOf("getTeam", { scope: { ...NO_SCOPE, pathTeam: id } }));
  assert.deepEqual([team.ownerId, team.isCacheable], [id, true]);
  const users = await read(requestOf("listUsers"));
  assert.deepEqual([users.ownerId, users.isCacheable], [undefined, true]);
});

test("a list is read in chunks for who asks for a stream, and as a whole for others", async () => {
  const { id: teamId } = await createTeam(await createUser());
  const asked = requestOf("listEvents", { scope: { ...NO_SCOPE, teamId } });
  const page = (await read(asked)).result as { events: object[] };
  const chunk = { mediaType: "application/x-ndjson", cursor: null, lastEventId: null };
  const { text, next } = (await read({ ...asked, chunk })).result as Chunk;
  assert.deepEqual([text.split("\n").length - 1, next], [page.events.length, null]);
  const whole = (await read(requestOf("getTeam", { scope: { ...NO_SCOPE, pathTeam: teamId }, chunk }))).result;
  assert.equal((whole as { id: string }).id, teamId);
});

test("a refusal that a handler returns is that of the call, with all that it says", async () => {
  await assert.rejects(read(requestOf("refuse")), REFUSAL);
  const outcome = await write(requestOf("refuse"));
  assert.equal(outcome.result, null);
  assert.throws(() => resultOf(structuredClone(outcome)), REFUSAL);
  assert.equal(resultOf({ result: "done" }), "done");
});

test("an operation that does not exist, and the whole of one that is only a stream, are bugs of the caller and no refusals", async () => {
  const { id: teamId } = await createTeam(await createUser());
  for (const execute of [read, write]) {
    await assert.rejects(execute(requestOf("nothing")), { name: "Error", message: "unknown operation nothing" });
  }
  const live = requestOf("streamEvents", { scope: { ...NO_SCOPE, teamId } });
  await assert.rejects(read(live), { name: "Error", message: "streamEvents has no response other than a stream" });
});

test("a session whose proof has lapsed hands out no credential, and does what hands out nothing", async () => {
  const { session } = await openSession(api, await createUser());
  clock.advance(PROOF_MS);
  const token = await request("POST", "/v3/user/tokens", { session, body: { name: "new" } });
  assert.deepEqual([token.status, token.body.error.code], [403, "proof_required"]);
  const secret = await request("POST", "/v2/secrets", { session, body: { name: "NEW", value: "x" } });
  assert.equal(secret.status, 200, secret.text);
});

test("what a change says that it changes is recorded: one owner, or anything", async () => {
  const user = await createUser();
  const { id } = await createTeam(user);
  const changed = async (method: string, url: string, body: object) => {
    const { status, text } = await request(method, url, { token: user.token, body });
    assert.equal(status, 200, text);
    const order = ENGINE === "sqlite" ? "sequence" : "xid";
    const [row] = await api.query(`select owner_ids from changed_owners order by ${order} desc limit 1`);
    return row?.["owner_ids"];
  };
  assert.equal(await changed("PATCH", `/v2/teams/${id}`, { name: "Acme" }), JSON.stringify([id]));
  assert.equal(await changed("PATCH", "/v2/user", { name: "Ann" }), null);
});

test("a credential that is not known is told so in a form that clients test", async () => {
  const { status, body } = await request("GET", "/v2/user", { token: "rvt_unknown" });
  assert.deepEqual([status, body.error.invalidToken], [401, true]);
});

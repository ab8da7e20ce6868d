// Every change waits for the lock of its owner. Whatever another session revokes meanwhile, the change must see after the wait.
import assert from "node:assert/strict";
import { test } from "node:test";
import { hashCredential } from "../../src/platform/kernel/credential.ts";
import { isMutation } from "../../src/platform/kernel/contract.ts";
import { changeBehindLock } from "../harness/held-owners.ts";
import { OPERATIONS, aboutTeam, call, exampleOf } from "../operations/operation-call.ts";
import { createWorld } from "../operations/world.ts";

const world = await createWorld();
const { app, clock, query } = world;

const MUTATIONS = OPERATIONS.filter(({ endpoint }) => isMutation(endpoint) && !endpoint.isLive);

/** A session's cookie, or the value of a token or key. */
const valueOf = (token: string) => token.replace(/^session:/, "");

/** Statements that give the row of a credential another hash, in whichever table it is. */
function renamed(from: string, to: string): string[] {
  return ["access_tokens", "api_keys", "sessions"].map(
    (table) => `update ${table} set hash = '${to}' where hash = '${from}'`,
  );
}

/** A credential of the owner's for one call. */
async function newToken(): Promise<string> {
  const order = { userId: world.owner.id, name: "test" };
  return (await app.runner.changes.issueToken(order, clock.now)).value;
}

for (const operation of MUTATIONS) {
  test(`${operation.id} is refused if its credential was revoked while it waited`, async () => {
    const example = await exampleOf(operation, world);
    const token = example.token ?? (await newToken());
    const hash = hashCredential(valueOf(token));
    const revoked = `revoked-${hash}`;
    const { status, text } = await changeBehindLock(world, {
      change: () => call(operation, world, example, { token }),
      meanwhile: renamed(hash, revoked),
    });
    assert.equal(status, 401, text);
    // Others use the administrator's.
    for (const sql of renamed(revoked, hash)) await query(sql);
  });
}

for (const operation of MUTATIONS.filter(
  ({ endpoint: { access } }) => access.kind === "owner" || access.kind === "team",
)) {
  test(`${operation.id} is refused if the caller left the team while it waited`, async () => {
    const example = await exampleOf(operation, world);
    const team = example.params?.["teamId"] ?? example.query?.["teamId"] ?? world.team.id;
    const of = `team_id = '${team}' and user_id`;
    const { status, text } = await changeBehindLock(world, {
      change: () => call(operation, world, aboutTeam(operation, example, team), { token: world.owner.token }),
      meanwhile: [`update memberships set user_id = '${world.outsider.id}' where ${of} = '${world.owner.id}'`],
    });
    assert.equal(status, 404, text);
    await query(`update memberships set user_id = '${world.owner.id}' where ${of} = '${world.outsider.id}'`);
  });
}

// Who is responsible for the API keys of teams that existed before keys had a responsible user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { statementsOf } from "../../src/platform/store/migrations/migrate.ts";
import { keyResponsibility } from "../../src/platform/store/migrations/0010-key-responsibility.ts";
import { keyPermissions } from "../../src/platform/store/migrations/0021-key-permissions.ts";
import { narrowCredentials } from "../../src/platform/store/migrations/0027-narrow-credentials.ts";
import { identityExchange } from "../../src/platform/store/migrations/0028-identity-exchange.ts";
import { createKey } from "../resources/api-keys.ts";
import { ENGINE, startOwnApp } from "../harness/test-app.ts";
import { openTeam } from "../resources/teams.ts";

const client = await startOwnApp();
const { request, createUser, query } = client;

/** Drops the columns and adds them again, as an upgrade does; the later ones too, because prepared statements know their order. */
async function upgrade(): Promise<void> {
  for (const index of ["responsible", "previous_responsible", "trust", "suspended"])
    await query(`drop index api_keys_${index}`);
  for (const column of [
    "responsible_id",
    "previous_responsible_id",
    "suspended_at",
    "permissions",
    "limits",
    "trust_id",
  ])
    await query(`alter table api_keys drop column ${column}`);
  const ofKeys = [narrowCredentials, identityExchange]
    .flatMap((migration) => statementsOf(migration, ENGINE))
    .filter((statement) => statement.includes("api_keys"));
  const before = [keyResponsibility, keyPermissions].flatMap((migration) => statementsOf(migration, ENGINE));
  for (const statement of [...before, ...ofKeys]) await query(statement);
}

test("an upgrade finds the user or the key that created a key, and suspends none", async () => {
  const owner = await createUser();
  const team = await openTeam(client, owner);
  const [carol, dave, former] = [await createUser(), await createUser(), await createUser()];
  for (const user of [carol, dave, former]) await team.add(user, "MEMBER");
  const scope = `?teamId=${team.id}`;
  const make = async (token: string, role = "MEMBER") => (await createKey(client, token, scope, { role })).body;
  const first = await make(carol.token);
  const child = await make(first.value);
  const grandchild = await make(child.value);
  const personal = (await createKey(client, dave.token)).body;
  const byPersonal = await make(personal.value);
  const orphan = await make(former.token);
  const byOrphan = await make(orphan.value, "VIEWER");
  const parent = await make(dave.token);
  const lost = await make(parent.value);
  const owners = await make(owner.token, "OWNER");
  await team.remove(former);
  await request("DELETE", `/v1/api-keys/${parent.apiKey.id}${scope}`, { token: owner.token });

  await upgrade();
  const { body } = await request("GET", `/v1/api-keys${scope}&limit=100`, { token: owner.token });
  const responsible = new Map(
    body.apiKeys.map((key: { id: string; responsibleId: string | null }) => [key.id, key.responsibleId]),
  );
  assert.deepEqual(
    [first, child, grandchild, byPersonal, orphan, byOrphan, lost, owners].map(({ apiKey }) =>
      responsible.get(apiKey.id),
    ),
    [carol.id, carol.id, carol.id, dave.id, null, null, null, owner.id],
  );
  const own = await request("GET", `/v1/api-keys/${personal.apiKey.id}`, { token: dave.token });
  assert.equal(own.body.apiKey.responsibleId, dave.id);

  // Nobody is responsible for it: it works as before, creates no keys, and an OWNER can adopt it.
  const read = await request("GET", "/v1/api-keys", { token: orphan.value });
  assert.equal(read.status, 200);
  const refused = await createKey(client, orphan.value, "", { role: "VIEWER" });
  assert.equal(refused.status, 403);
  assert.match(refused.body.error.message, /an OWNER of the team has to adopt it/);
  const renewed = await request("POST", `/v1/api-keys/${orphan.apiKey.id}/rotate`, { token: orphan.value });
  assert.equal(renewed.status, 403);
  const adopted = await request("POST", `/v1/api-keys/${orphan.apiKey.id}/adopt${scope}`, { token: owner.token });
  assert.equal(adopted.body.apiKey.responsibleId, owner.id);
  assert.equal((await createKey(client, orphan.value, "", { role: "VIEWER" })).status, 200);
});

// Secrets as the generated SDK of 2024 calls them and reads them: in a team, named by its id or its slug, and in the
// caller's own account. What comes back is asserted whole, as the client hands it to its caller.
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { START_TIME } from "../../harness/test-app.ts";
import type { Body, TestTeam, TestUser } from "../../harness/test-app.ts";
import { openTeam } from "../../resources/teams.ts";
import { refusedWith } from "../sdk/refusal.ts";
import { startListeningApp } from "../started-app.ts";
import { Sdk2024 } from "./client.ts";
import type { Scope } from "./client.ts";

const reeve = await startListeningApp();
const { createUser, createTeam } = reeve;

function as({ token }: TestUser): Sdk2024 {
  return new Sdk2024(reeve.url, token);
}

const SCOPES: Readonly<Record<string, (team: TestTeam) => Scope>> = {
  "the caller's own account": () => ({}),
  "the caller's own account, by an empty teamId": () => ({ teamId: "" }),
  "a team, by its id": ({ id }) => ({ teamId: id }),
  "a team, by its slug": ({ slug }) => ({ slug }),
  "a team, by both": ({ id, slug }) => ({ teamId: id, slug }),
};

for (const [where, scopeOf] of Object.entries(SCOPES)) {
  describe(`in ${where}`, () => {
    let sdk: Sdk2024;
    let scope: Scope;
    /** What every secret made here is shown with, beside its id and name. */
    let common: Body;
    before(async () => {
      const user = await createUser();
      const team = await createTeam(user);
      sdk = as(user);
      scope = scopeOf(team);
      common = {
        teamId: scope.teamId || scope.slug ? team.id : null,
        userId: user.id,
        created: new Date(START_TIME),
        createdAt: START_TIME,
      };
    });

    test("createSecret, getSecret, getSecrets, renameSecret and deleteSecret", async () => {
      const value = "some secret value: ä€😀\n";
      const made = await sdk.createSecret("api-key", { name: "api-key", value, decryptable: true }, scope);
      const { uid } = made;
      assert.match(uid, /^sec_\w{24}$/);
      const secret = { ...common, uid, name: "api-key", decryptable: true };
      assert.deepEqual(made, { ...secret, value: { type: "Buffer", data: [] } });

      for (const idOrName of [uid, "api-key"]) {
        assert.deepEqual(await sdk.getSecret(idOrName, scope), secret);
        assert.deepEqual(await sdk.getSecret(idOrName, { ...scope, decrypt: "false" }), secret);
        assert.deepEqual(await sdk.getSecret(idOrName, { ...scope, decrypt: "true" }), { ...secret, value });
      }
      assert.deepEqual(await sdk.getSecrets(scope), {
        secrets: [secret],
        pagination: { count: 1, next: null, prev: START_TIME },
      });

      assert.deepEqual(await sdk.renameSecret("api-key", { name: "new-name" }, scope), {
        uid,
        name: "new-name",
        created: new Date(START_TIME),
        oldName: "api-key",
      });
      await assert.rejects(sdk.getSecret("api-key", scope), refusedWith(404, "not_found"));
      assert.deepEqual(await sdk.deleteSecret("new-name", scope), { uid, name: "new-name", created: START_TIME });
      assert.deepEqual(await sdk.getSecrets(scope), {
        secrets: [],
        pagination: { count: 0, next: null, prev: null },
      });
    });

    test("a secret that was not made decryptable never shows its value", async () => {
      const { value: _buffer, ...locked } = await sdk.createSecret("locked", { name: "locked", value: "v" }, scope);
      assert.equal(locked.decryptable, false);
      assert.deepEqual(await sdk.getSecret("locked", { ...scope, decrypt: "true" }), locked);
      await sdk.deleteSecret(locked.uid, scope);
    });

    test("createSecret keeps the deprecated project, by which getSecrets filters, as by ids", async () => {
      const inProject = { name: "in-project", value: "v", projectId: "prj_2WjyKQmM8ZnGcJsPWMrHRHrE" };
      const { value: _buffer, ...kept } = await sdk.createSecret("in-project", inProject, scope);
      assert.equal(kept.projectId, inProject.projectId);
      const other = await sdk.createSecret("other", { name: "other", value: "v" }, scope);
      assert.deepEqual((await sdk.getSecrets({ ...scope, projectId: inProject.projectId })).secrets, [kept]);
      const { secrets } = await sdk.getSecrets({ ...scope, id: `${kept.uid},${other.uid}` });
      assert.deepEqual(
        secrets.map(({ uid }: Body) => uid),
        [other.uid, kept.uid],
      );
      for (const { uid } of [kept, other]) await sdk.deleteSecret(uid, scope);
    });

    test("getSecrets pages newest first, although all secrets are of one millisecond", async () => {
      const uids: string[] = [];
      for (let index = 0; index < 45; index++) {
        const name = `paged-${index}`;
        uids.unshift((await sdk.createSecret(name, { name, value: "v" }, scope)).uid);
      }
      const pages: string[][] = [];
      let until: number | null = null;
      do {
        const { secrets, pagination } = await sdk.getSecrets({
          ...scope,
          ...(until === null ? {} : { until: String(until) }),
        });
        assert.equal(pagination.count, secrets.length);
        pages.push(secrets.map(({ uid }: Body) => uid));
        until = pagination.next;
      } while (until !== null);
      assert.deepEqual(
        pages.map(({ length }) => length),
        [20, 20, 5],
      );
      assert.deepEqual(pages.flat(), uids);
    });
  });
}

test("the name in the body wins over the one in the path", async () => {
  const sdk = as(await createUser());
  assert.equal((await sdk.createSecret("in-path", { name: "in-body", value: "v" })).name, "in-body");
  await assert.rejects(sdk.getSecret("in-path"), refusedWith(404));
});

test("a team's id that is sent twice counts once", async () => {
  const user = await createUser();
  const { id } = await createTeam(user);
  const { uid } = await as(user).createSecret("one", { name: "one", value: "v" }, { teamId: id });
  const { status, body } = await reeve.request("GET", `/v3/secrets?teamId=${id}&teamId=${id}`, user);
  assert.equal(status, 200);
  assert.deepEqual(
    body.secrets.map((secret: Body) => secret.uid),
    [uid],
  );
});

test("refusals reach the caller with their status and code, and change nothing", async () => {
  const team = await openTeam(reeve, await createUser());
  const viewer = await createUser();
  await team.add(viewer, "VIEWER");
  const scope = { teamId: team.id };
  const owners = as(team.owner);
  for (const name of ["one", "two"]) await owners.createSecret(name, { name, value: "v", decryptable: true }, scope);

  const body = { name: "ONE", value: "v" };
  await assert.rejects(owners.createSecret("ONE", body, scope), refusedWith(409, "secret_name_taken"));
  await assert.rejects(owners.renameSecret("two", { name: "one" }, scope), refusedWith(409, "secret_name_taken"));
  await assert.rejects(owners.renameSecret("two", { name: "no/name" }, scope), refusedWith(400, "invalid_secret_name"));
  await assert.rejects(owners.renameSecret("three", { name: "four" }, scope), refusedWith(404, "not_found"));
  await assert.rejects(owners.deleteSecret("three", scope), refusedWith(404, "not_found"));

  const viewers = as(viewer);
  const three = { name: "three", value: "v" };
  await assert.rejects(viewers.createSecret("three", three, scope), refusedWith(403, "forbidden"));
  await assert.rejects(viewers.renameSecret("one", { name: "three" }, scope), refusedWith(403, "forbidden"));
  await assert.rejects(viewers.deleteSecret("one", scope), refusedWith(403, "forbidden"));
  await assert.rejects(viewers.getSecret("one", { ...scope, decrypt: "true" }), refusedWith(403, "forbidden"));

  await assert.rejects(as(await createUser()).getSecrets(scope), refusedWith(404, "not_found"));
  await assert.rejects(new Sdk2024(reeve.url, "rvt_unknown").getSecrets(), refusedWith(401, "not_authorized"));

  const { secrets } = await viewers.getSecrets(scope);
  assert.deepEqual(
    secrets.map(({ name }: Body) => name),
    ["two", "one"],
  );
});

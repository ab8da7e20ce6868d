// A project, its variables and its created environments, through one release of the SDK.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Body } from "../../harness/test-app.ts";
import { openEnvironments } from "../../resources/environments.ts";
import { refusedWith } from "./refusal.ts";
import type { Session } from "./session.ts";

const idOrName = "shop";
const BOTH = ["production", "preview"];

export function testVariables({ release, as, request, createOwnerAndTeam }: Session): void {
  async function open() {
    const { owner, team } = await createOwnerAndTeam();
    const { projects, environment } = as(owner);
    const project = { idOrName, teamId: team.id };
    return {
      projects,
      environments: environment,
      project,
      env: openEnvironments({ request }, owner.token, idOrName, team.id),
      create: async (requestBody: unknown): Promise<Body> =>
        (await projects.createProjectEnv({ ...project, upsert: "true", requestBody })).created,
      list: async (query: object = {}): Promise<Body[]> =>
        (await projects.filterProjectEnvs({ ...project, ...query })).envs,
    };
  }

  test("createProjectEnv, filterProjectEnvs and getProjectEnv show a variable, and secrets when asked", async () => {
    const { projects, project, env, create, list } = await open();
    const plain = await create({ key: "LEVEL", value: "info", type: "plain", target: BOTH, comment: "how much" });
    assert.deepEqual(
      [plain.key, plain.value, plain.type, plain.target, plain.comment],
      ["LEVEL", "info", "plain", BOTH, "how much"],
    );
    const secrets = await create([
      { key: "OPEN", value: "one", type: "encrypted", target: BOTH },
      { key: "HIDDEN", value: "two", type: "sensitive", target: ["production"] },
    ]);
    assert.deepEqual(
      secrets.map(({ key, type, value, target }: Body) => [key, type, value, target]),
      [
        ["OPEN", "encrypted", "", BOTH],
        ["HIDDEN", "sensitive", "", ["production"]],
      ],
    );
    const valuesOf = (envs: readonly Body[]) => Object.fromEntries(envs.map(({ key, value }) => [key, value]));
    assert.deepEqual(valuesOf(await list()), { HIDDEN: "", LEVEL: "info", OPEN: "" });
    assert.deepEqual(valuesOf(await list({ decrypt: "true" })), { HIDDEN: "", LEVEL: "info", OPEN: "one" });
    assert.deepEqual((await projects.getProjectEnv({ ...project, id: secrets[0].id })).value, "one");
    assert.equal((await projects.getProjectEnv({ ...project, id: secrets[1].id })).value || undefined, undefined);
    assert.deepEqual((await env.values("production")).body, { HIDDEN: "two", LEVEL: "info", OPEN: "one" });
    const absent = projects.getProjectEnv({ ...project, id: "env_none" });
    await assert.rejects(absent, refusedWith(404));
  });

  test("getProjects lists a project, and getProject finds it by its name", async () => {
    const { projects, project, create } = await open();
    await create({ key: "LEVEL", value: "info", type: "plain", target: BOTH });
    const { projects: listed } = await projects.getProjects({ teamId: project.teamId });
    assert.deepEqual(
      listed.map(({ name }: Body) => name),
      [idOrName],
    );
    if (!release.readsOneProject) return;
    const { id, name } = await projects.getProject(project);
    assert.deepEqual([id, name], [listed[0].id, idOrName]);
  });

  test("editProjectEnv changes a variable, and removeProjectEnv removes it", async () => {
    const { projects, project, env, create, list } = await open();
    const { id } = await create({ key: "KEY", value: "one", type: "encrypted", target: BOTH });
    const edited = await projects.editProjectEnv({
      ...project,
      id,
      requestBody: { value: "two", target: ["preview"] },
    });
    const isRead = release.readsChangedVariable;
    const taken = [edited.id, edited.type, edited.target];
    assert.deepEqual(taken, isRead ? [id, "encrypted", ["preview"]] : [undefined, undefined, undefined]);
    assert.deepEqual([(await env.values("production")).body, (await env.values("preview")).body], [{}, { KEY: "two" }]);
    await env.set("preview", { KEY: { value: "three" } });
    assert.deepEqual(
      (await list()).map(({ key, value, type }) => [key, value, type]),
      [["KEY", "three", "plain"]],
    );
    const removed = await projects.removeProjectEnv({ ...project, id });
    assert.equal(removed.key, "KEY");
    assert.deepEqual(await list(), []);
    await assert.rejects(projects.removeProjectEnv({ ...project, id }), refusedWith(404));
  });

  test("createProjectEnv that is refused creates nothing", async () => {
    const { projects, project, env, create } = await open();
    await create({ key: "KEY", value: "one", type: "plain", target: BOTH });
    const requestBody = [
      { key: "OTHER", value: "two", type: "plain", target: BOTH },
      { key: "KEY", value: "two", type: "plain", target: ["preview"] },
    ];
    await assert.rejects(projects.createProjectEnv({ ...project, requestBody }), refusedWith(409));
    assert.deepEqual((await env.values("preview")).body, { KEY: "one" });
  });

  if (release.listsEnvironments === null) return;
  const listEnvironments = release.listsEnvironments;

  test("batchRemoveProjectEnv removes several variables", async () => {
    const { projects, project, create, list } = await open();
    const created = await create(["A", "B", "C"].map((key) => ({ key, value: "1", type: "plain", target: BOTH })));
    const ids = created.slice(0, 2).map((one: Body) => one.id);
    const removed = await projects.batchRemoveProjectEnv({ ...project, requestBody: { ids } });
    assert.deepEqual([removed.deleted, removed.ids.toSorted()], [2, ids.toSorted()]);
    assert.deepEqual(
      (await list()).map(({ key }) => key),
      ["C"],
    );
  });

  test("createCustomEnvironment, their list and their variables", async () => {
    const { environments, projects, project, env, create, list } = await open();
    const made = await environments.createCustomEnvironment({ ...project, requestBody: { slug: "staging" } });
    assert.deepEqual([made.id, made.slug, made.type], ["staging", "staging", "preview"]);
    const { environments: listed } = await environments[listEnvironments](project);
    assert.deepEqual(
      listed.map(({ slug }: Body) => slug),
      ["staging"],
    );
    const at = { ...project, environmentSlugOrId: "staging" };
    assert.equal((await environments.getCustomEnvironment(at)).slug, "staging");
    const same = await environments.updateCustomEnvironment({ ...at, requestBody: { slug: "staging" } });
    assert.equal(same.slug, "staging");
    const { id } = await create({
      key: "KEY",
      value: "1",
      type: "plain",
      customEnvironmentIds: ["staging"],
      target: [],
    });
    assert.deepEqual((await env.values("staging")).body, { KEY: "1" });
    const [variable, ...more] = await list({ customEnvironmentId: "staging" });
    assert.deepEqual([variable?.customEnvironmentIds, more], [["staging"], []]);
    await projects.removeProjectEnv({ ...project, id, customEnvironmentId: "staging" });
    assert.deepEqual(await list(), []);
    await environments.removeCustomEnvironment({ ...at, requestBody: { deleteUnassignedEnvironmentVariables: true } });
    await assert.rejects(environments.getCustomEnvironment(at), refusedWith(404));
  });
}

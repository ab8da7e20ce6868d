// The unmodified `vercel` 64 command line client against a started Reeve: webhooks, and the activity of a team to which
// others publish.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startListeningApp } from "../started-app.ts";
import { Cli } from "./vercel.ts";
import type { CliResult } from "./vercel.ts";

const reeve = await startListeningApp();
const { createUser, createTeam, request } = reeve;
const { body: openApi } = await request("GET", "/openapi.json");

/** A team, its owner's client, and requests about it without the client. */
async function openTeam() {
  const user = await createUser();
  const { token } = user;
  const { id, slug } = await createTeam(user);
  return {
    id,
    async run(...args: readonly string[]): Promise<CliResult> {
      using cli = new Cli(reeve.url, "vercel-64");
      // It checks names of events against this document, where that lists them; Reeve's refers to GET /v1/events/types.
      cli.keepOpenApi(openApi);
      return await cli.run(["--token", token, "--scope", slug, ...args]);
    },
    call: (method: string, path: string, body?: unknown) =>
      request(method, `${path}?teamId=${id}`, { token, ...(body === undefined ? {} : { body }) }),
  };
}

function assertDone({ exitCode, stdout, stderr }: CliResult, ...parts: readonly RegExp[]): void {
  assert.equal(exitCode, 0, stderr);
  for (const part of parts) assert.match(`${stdout}${stderr}`, part);
}

test("webhooks create, ls, get and rm manage a team's webhooks", async () => {
  const { run, call, id: teamId } = await openTeam();
  const url = "https://example.com/hook";
  const events = ["deployment.created", "team-*"];
  const made = await run(
    "webhooks",
    "create",
    url,
    "--event",
    "deployment.created",
    "-e",
    "team-*",
    "--project",
    "web",
  );
  const [{ id, ...stored }] = (await call("GET", "/v1/webhooks")).body;
  assert.deepEqual([stored.url, stored.events, stored.projectIds, stored.ownerId], [url, events, ["web"], teamId]);
  assertDone(made, new RegExp(`ID +${id}\n`), /Events +deployment\.created, team-\*\n/, /shown again: whsec_\S{40,}/);

  const [list, shown] = await Promise.all([run("webhooks", "ls"), run("webhooks", "get", id)]);
  assertDone(list, /1 Webhook found/, new RegExp(`${id} +${url} +deployment\\.created, team-\\* `));
  assertDone(shown, new RegExp(`URL\\s+${url}\n`), /- deployment\.created\n +- team-\*\n/);

  assertDone(await run("webhooks", "rm", id, "--yes"), /Success! Webhook .* removed/);
  assert.deepEqual((await call("GET", "/v1/webhooks")).body, []);
  const gone = await run("webhooks", "rm", id, "--yes");
  assert.equal(gone.exitCode, 1);
  assert.match(gone.stderr, new RegExp(`Webhook not found: ${id}`));
});

test("webhooks create says what is wrong with an event or an address", async () => {
  const { run, call } = await openTeam();
  const [event, address] = await Promise.all([
    run("webhooks", "create", "https://example.com/hook", "--event", "deployment.creted"),
    run("webhooks", "create", "http://127.0.0.1/hook", "--event", "deployment.created"),
  ]);
  assert.deepEqual([event.exitCode, address.exitCode], [1, 1]);
  assert.match(event.stderr, /no event is called "deployment\.creted"; did you mean "deployment\.created"\?/);
  assert.match(address.stderr, /public address, got loopback/);
  assert.deepEqual((await call("GET", "/v1/webhooks")).body, []);
});

test("activity tells of webhooks and of what was published, and activity types knows the types", async () => {
  const { run, call } = await openTeam();
  await call("POST", "/v1/webhooks", { url: "https://example.com/hook", events: ["secret-*"] });
  await call("POST", "/v1/events", { type: "deployment.created", projectId: "web" });
  await call("POST", "/v1/events", { type: "domain.certificate-add", text: "renewed everything" });
  const [all, some, ofProject, types] = await Promise.all([
    run("activity", "--all"),
    run("activity", "--all", "--type", "deployment.*,webhook-created"),
    run("activity", "--project", "web"),
    run("activity", "types"),
  ]);
  assertDone(all, /domain\.certificate\.add[^]+deployment\.created[^]+webhook-created[^]+Type +team\n/);
  assertDone(all, /- \S+ renewed everything\n/);
  assertDone(some, /deployment\.created[^]+webhook-created/);
  assert.ok(!some.stderr.includes("domain.certificate"), some.stderr);
  assertDone(ofProject, /- \S+ published deployment\.created\n/);
  assert.ok(!ofProject.stderr.includes("webhook"), ofProject.stderr);
  assertDone(types, /webhook-created +A webhook was created\.\n/, /deployment\.created +A deployment was created\.\n/);
});

// The job that uses a trust rule, in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AUDIENCE } from "../../resources/workload.ts";
import { choose, pick, startConsole } from "./console-world.ts";

const { createOwner, open, request } = await startConsole();

test("a job is shown of a rule that is there, for any platform, and is copied", async (t) => {
  const { owner, team } = await createOwner();
  const body = {
    name: "Deployments",
    issuer: "https://token.actions.githubusercontent.com",
    audience: AUDIENCE,
    claims: { sub: "repo:acme/shop:environment:production" },
    role: "DEVELOPER",
    permissions: ["secret:read"],
  };
  const made = await request("POST", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token, body });
  assert.equal(made.status, 200, made.text);
  const page = await open(t, owner, `teams/${team.slug}/trust-rules`);
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await choose(page.getByRole("row").filter({ hasText: "Deployments" }), "Show job");
  const dialog = page.getByRole("dialog", { name: "A job that uses Deployments" });
  const job = dialog.getByLabel("The job");
  assert.match(await job.inputValue(), /id-token: write/);
  await pick(dialog.getByLabel("Where the tokens come from"), "GitLab");
  assert.match(await job.inputValue(), /id_tokens:/);
  assert.match(await job.inputValue(), new RegExp(`audience=${made.body.trust.id}[^]*/v1/api-keys/current`));
  await dialog.getByRole("button", { name: "Copy" }).click();
  await dialog.getByRole("button", { name: "Copied" }).waitFor();
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), await job.inputValue());
});

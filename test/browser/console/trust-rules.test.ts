// Trust rules in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { assertAccessible } from "../accessibility.ts";
import { press, startConsole } from "./console-world.ts";

const { createOwner, open, request, url } = await startConsole();

type Owned = Awaited<ReturnType<typeof createOwner>>;

/** The rules of a team as the API has them. */
async function rulesOf({ owner, team }: Owned) {
  return (await request("GET", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token })).body.trusts;
}

/** Opens the form of a new rule for a platform. */
async function beginRule(page: Page, platform: string) {
  await press(page, "Create a trust rule");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Where the tokens come from").selectOption(platform);
  await dialog.getByLabel("Name", { exact: true }).fill("Deployments");
  return dialog;
}

const PRESETS = {
  github: {
    answers: { Owner: "acme", "Id of the owner": "1234567", Repository: "shop" },
    issuer: "https://token.actions.githubusercontent.com",
    claims: { sub: "repo:acme/shop:environment:production", repository_owner_id: "1234567" },
  },
  gitlab: {
    answers: { "Path of the project": "acme/shop", "Id of the project": "42" },
    issuer: "https://gitlab.com",
    claims: { sub: "project_path:acme/shop:ref_type:branch:ref:main", project_id: "42", ref_protected: "true" },
  },
  kubernetes: {
    answers: {
      Namespace: "shop",
      "Service account": "deployer",
      "UID of the service account": "6f1c7c0e-1f4a-4a0e-9a53-0b8f4b7c2d11",
      Issuer: "https://cluster.example.com",
    },
    issuer: "https://cluster.example.com",
    claims: {
      sub: "system:serviceaccount:shop:deployer",
      '["kubernetes.io","serviceaccount","uid"]': "6f1c7c0e-1f4a-4a0e-9a53-0b8f4b7c2d11",
    },
  },
  other: {
    answers: { Issuer: "https://issuer.example.com/ci", "Has to be": "build:acme:*" },
    issuer: "https://issuer.example.com/ci",
    claims: { sub: "build:acme:*" },
  },
};

for (const [platform, { answers, issuer, claims }] of Object.entries(PRESETS)) {
  test(`a rule is created from the preset ${platform}, shown, and deleted`, async (t) => {
    const owned = await createOwner();
    const page = await open(t, owned.owner, `teams/${owned.team.slug}/trust-rules`);
    await page.getByText("The team has no trust rules yet").waitFor();
    const dialog = await beginRule(page, platform);
    for (const [label, text] of Object.entries(answers)) await dialog.getByLabel(label, { exact: true }).fill(text);
    await dialog.getByLabel("Role", { exact: true }).selectOption("DEVELOPER");
    await assertAccessible(page, { name: `create-trust-rule-${platform}` });
    const words = await dialog.getByText("It ends 15 minutes after it was issued.").innerText();
    await dialog.getByRole("button", { name: "Create a trust rule" }).click();
    await page.getByRole("heading", { name: "Deployments" }).waitFor();
    const [rule] = await rulesOf(owned);
    assert.deepEqual(
      { issuer: rule.issuer, audience: rule.audience, claims: rule.claims, role: rule.role, allows: rule.allows },
      { issuer, audience: url, claims, role: "DEVELOPER", allows: words },
    );
    const card = page.getByRole("listitem").filter({ hasText: "Deployments" });
    for (const text of [issuer, words, ...Object.values(claims)]) await card.getByText(text, { exact: true }).waitFor();
    await card.getByText(owned.owner.username, { exact: true }).waitFor();
    await assertAccessible(page, { name: "trust-rules" });
    await press(page, "Delete Deployments");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("The team has no trust rules yet").waitFor();
    assert.deepEqual(await rulesOf(owned), []);
  });
}

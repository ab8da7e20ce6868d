// Trust rules in the console.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { AUDIENCE } from "../../resources/workload.ts";
import { assertAccessible } from "../accessibility.ts";
import { choose, pick, press, startConsole } from "./console-world.ts";

const { addMember, createOwner, open, request, url } = await startConsole();

type Owned = Awaited<ReturnType<typeof createOwner>>;

/** The rules of a team as the API has them. */
async function rulesOf({ owner, team }: Owned) {
  return (await request("GET", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token })).body.trusts;
}

/** Opens the form of a new rule for a platform. */
async function beginRule(page: Page, platform: string) {
  await press(page, "New trust rule");
  const dialog = page.getByRole("dialog");
  await pick(dialog.getByLabel("Where the tokens come from"), new RegExp(platform, "i"));
  await dialog.getByLabel("Name", { exact: true }).fill("Deployments");
  return dialog;
}

const BOTH_FORMS = ["repo:acme/shop", "repo:acme@1234567/shop@*"].map((start) => `${start}:environment:production`);
const PRESETS = {
  github: {
    answers: { Owner: "acme", "Id of the owner": "1234567", Repository: "shop" },
    issuer: "https://token.actions.githubusercontent.com",
    claims: { sub: BOTH_FORMS, repository_owner_id: "1234567" },
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
    await pick(dialog.getByLabel("Role", { exact: true }), "Developer");
    await assertAccessible(page, { name: `create-trust-rule-${platform}` });
    const words = await dialog.getByText("It ends 15 minutes after it was issued.").innerText();
    await dialog.getByRole("button", { name: "New trust rule" }).click();
    const job = page.getByRole("dialog", { name: "A job that uses Deployments" });
    const written = await job.getByLabel("The job").inputValue();
    const [rule] = await rulesOf(owned);
    for (const part of [url, rule.id, `reeve run --team ${owned.team.slug} --project PROJECT`]) {
      assert.ok(written.includes(part), written);
    }
    assert.equal(await job.getByLabel("Where the tokens come from").getAttribute("data-value"), platform);
    await assertAccessible(page, { name: `job-of-trust-rule-${platform}` });
    await job.getByRole("button", { name: "Close" }).click();
    await assertAccessible(page, { name: "trust-rules" });
    await page.getByRole("link", { name: "Deployments", exact: true }).click();
    await page.getByRole("heading", { name: "Deployments", exact: true }).waitFor();
    assert.deepEqual(
      { issuer: rule.issuer, audience: rule.audience, claims: rule.claims, role: rule.role, allows: rule.allows },
      { issuer, audience: url, claims, role: "DEVELOPER", allows: words },
    );
    const main = page.getByRole("main");
    for (const text of [issuer, words, ...Object.values(claims).flat()])
      await main.getByText(text, { exact: true }).waitFor();
    await main.getByText(owned.owner.username, { exact: true }).waitFor();
    await choose(main, "Delete");
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("The team has no trust rules yet").waitFor();
    assert.deepEqual(await rulesOf(owned), []);
  });
}

const { answers: _answers, ...OF_GITHUB } = PRESETS.github;
const GITHUB = { ...OF_GITHUB, name: "Deployments", audience: AUDIENCE, role: "DEVELOPER" };

/** A rule of a team, made through the API. */
async function makeRule({ owner, team }: Owned, change: object = {}) {
  const body = { ...GITHUB, ...change };
  const made = await request("POST", `/v1/identity/trusts?teamId=${team.id}`, { token: owner.token, body });
  assert.equal(made.status, 200, made.text);
  return made.body.trust;
}

test("claims that somebody wrote stay when an answer changes, and others follow it", async (t) => {
  const { owner, team } = await createOwner();
  const page = await open(t, owner, `teams/${team.slug}/trust-rules`);
  const dialog = await beginRule(page, "gitlab");
  const claims = dialog.getByLabel("Has to be", { exact: true });
  await claims.nth(0).fill("project_path:acme/*:**");
  await dialog.getByRole("button", { name: "Remove the claim ref_protected" }).click();
  await dialog.getByLabel("Path of the project").fill("acme/shop");
  await dialog.getByLabel("Id of the project").fill("42");
  const texts = await claims.all();
  assert.deepEqual(await Promise.all(texts.map((one) => one.inputValue())), ["project_path:acme/*:**", "42"]);
});

test("what the server refuses is shown at its field, and what can be seen before is not sent", async (t) => {
  const owned = await createOwner();
  const page = await open(t, owned.owner, `teams/${owned.team.slug}/trust-rules`);
  const dialog = await beginRule(page, "other");
  const submit = dialog.getByRole("button", { name: "New trust rule" });
  const field = (label: string) => dialog.getByLabel(label, { exact: true });
  /** What is said about a field by the element that describes it. */
  const problemOf = async (label: string, at = 0): Promise<string> => {
    const invalid = field(label).nth(at).and(dialog.locator("[aria-invalid]"));
    await invalid.waitFor();
    const id = (await invalid.getAttribute("aria-describedby"))?.split(" ").at(-1) ?? "";
    return await dialog.locator(`[id="${id}"]`).innerText();
  };
  await field("Issuer").fill("http://issuer.example.com");
  await field("Has to be").fill("*");
  await submit.click();
  assert.match(await problemOf("Issuer"), /^expected a URL with https, such as /);
  await field("Issuer").fill(GITHUB.issuer);
  await submit.click();
  const ofClaims = dialog.getByRole("group", { name: "What has to fit" });
  const problem = ofClaims.getByRole("alert");
  await problem.filter({ hasText: "that names the owner in full" }).waitFor();
  assert.match((await ofClaims.getAttribute("aria-describedby")) ?? "", /-problem$/);
  assert.ok((await problem.getAttribute("id"))?.endsWith("-problem"));
  await field("Has to be").fill("repo:acme/shop:*");
  await dialog.getByRole("button", { name: "Add a claim" }).click();
  await field("Claim").nth(1).fill("a..b");
  await field("Has to be").nth(1).fill("1");
  await submit.click();
  assert.match(await problemOf("Has to be", 1), /^expected a path of at most 20 names/);
  await field("Claim").nth(1).fill("sub");
  await submit.click();
  assert.match(await problemOf("Has to be", 1), /^This claim has a row already/);
  await field("Claim").nth(1).fill("run_attempt");
  await dialog.getByLabel("As JSON").nth(1).check();
  await field("Has to be").nth(1).fill("one");
  await submit.click();
  assert.match(await problemOf("Has to be", 1), /^Expected JSON/);
  await field("Has to be").nth(1).fill("[1, 2]");
  await field("Has to be")
    .nth(0)
    .fill(`repo:acme/shop:*\n${"x".repeat(600)}`);
  await submit.click();
  assert.match(await problemOf("Has to be", 0), /512/);
  await field("Has to be").nth(0).fill("repo:acme/shop:*\nrepo:acme/site:*");
  await field("Name").fill("x".repeat(101));
  await submit.click();
  assert.match(await problemOf("Name"), /100/);
  await field("Name").fill("Deployments");
  await dialog.getByLabel("Chosen permissions").check();
  await submit.click();
  await dialog.getByRole("group", { name: "May do" }).getByRole("alert").waitFor();
  assert.equal(await dialog.getByLabel("manage API keys").count(), 0, "it would let others in");
  await dialog.getByLabel("see names of secrets").check();
  await dialog.getByText("Limits", { exact: true }).click();
  await field("Networks").fill("the office");
  await submit.click();
  assert.match(await problemOf("Networks"), /network/);
  await field("Networks").fill("10.0.0.0/8");
  await submit.click();
  await page.getByRole("link", { name: "Deployments", exact: true }).waitFor();
  const [{ claims, permissions, allowedCidrs }] = await rulesOf(owned);
  assert.deepEqual(
    { claims, permissions, allowedCidrs },
    {
      claims: { sub: ["repo:acme/shop:*", "repo:acme/site:*"], run_attempt: [1, 2] },
      permissions: ["secret:read"],
      allowedCidrs: ["10.0.0.0/8"],
    },
  );
});

test("a rule is changed: only what was changed is sent, and what ends with it is said before", async (t) => {
  const owned = await createOwner();
  const claims = { sub: ["repo:acme/shop:*", "repo:acme/site:*"], run_attempt: 1, '["a.b"]': [true] };
  const rule = await makeRule(owned, { claims, permissions: ["secret:read"], names: ["SHOP_*"], singleUse: true });
  const page = await open(t, owned.owner, `teams/${owned.team.slug}/trust-rules/${rule.id}`);
  const sent: unknown[] = [];
  page.on("request", (asked) => {
    if (asked.method() === "PATCH") sent.push(asked.postDataJSON());
  });
  const dialog = page.getByRole("dialog");
  const save = dialog.getByRole("button", { name: "Save" });
  const ends = dialog.getByText("This ends the keys that the rule has issued");
  await press(page, "Change");
  await dialog.getByLabel("Name", { exact: true }).fill("Renamed");
  await save.and(page.locator(":not([aria-disabled])")).waitFor();
  assert.equal(await ends.count(), 0, "a name ends nothing");
  await save.click();
  await page.getByRole("heading", { name: "Renamed" }).waitFor();
  await press(page, "Change");
  await dialog.getByLabel("Name", { exact: true }).waitFor();
  assert.equal(await save.getAttribute("aria-disabled"), "true", "nothing is changed");
  await pick(dialog.getByLabel("Role", { exact: true }), "Member");
  await dialog.getByLabel("reveal values").check();
  await dialog.getByLabel("Secrets and variables").fill("");
  await dialog.getByRole("button", { name: "Remove the claim run_attempt" }).click();
  await ends.waitFor();
  const words = "It may see names of secrets and reveal values, and nothing else. It works from any address.";
  await dialog.getByText(words).waitFor();
  await assertAccessible(page, { name: "change-trust-rule" });
  await save.click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(words).waitFor();
  const changed = { claims: { sub: claims.sub, '["a.b"]': [true] }, role: "MEMBER", names: null };
  assert.deepEqual(sent, [{ name: "Renamed" }, { ...changed, permissions: ["secret:read", "secret:reveal"] }]);

  // Two who change it at once see both versions.
  await press(page, "Change");
  await dialog.getByLabel("Audience").fill("mine");
  const theirs = await request("PATCH", `/v1/identity/trusts/${rule.id}?teamId=${owned.team.id}`, {
    token: owned.owner.token,
    body: { audience: "theirs" },
  });
  assert.equal(theirs.status, 200);
  await save.click();
  const row = dialog.getByRole("row").filter({ hasText: "Audience" });
  await row.getByText("theirs").waitFor();
  await row.getByText("mine").waitFor();
  await dialog.getByRole("button", { name: "Store mine" }).click();
  await dialog.waitFor({ state: "detached" });
  const [stored] = await rulesOf(owned);
  assert.deepEqual([stored.audience, stored.role], ["mine", "MEMBER"]);
});

test("a suspended rule says so, and is taken over after a look at what ends", async (t) => {
  const owned = await createOwner();
  const carol = await addMember(owned.team, owned.owner, "MEMBER", "carol");
  await makeRule({ ...owned, owner: carol }, { role: "MEMBER" });
  const page = await open(t, owned.owner, `teams/${owned.team.slug}/trust-rules`);
  await page.getByRole("link", { name: "Deployments", exact: true }).click();
  await page.getByText("carol", { exact: true }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Take over" }).count(), 0);
  const path = `/v1/teams/${owned.team.id}/members/${carol.id}`;
  assert.equal((await request("PATCH", path, { token: owned.owner.token, body: { role: "VIEWER" } })).status, 200);
  await page.goto(`${url}/console/teams/${owned.team.slug}`);
  const need = page.getByRole("listitem").filter({ hasText: "Trust rule Deployments is suspended" });
  await need.getByRole("link", { name: "Take it over" }).click();
  await page.getByText("Suspended.", { exact: true }).waitFor();
  await assertAccessible(page, { name: "suspended-trust-rule" });
  await press(page, "Take over");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("it exchanges tokens again").waitFor();
  await dialog.getByRole("button", { name: "Take over", exact: true }).click();
  await page.getByText("Suspended.", { exact: true }).waitFor({ state: "detached" });
  await page.getByRole("main").getByText(owned.owner.username, { exact: true }).waitFor();
  const [{ responsibleId, suspendedAt }] = await rulesOf(owned);
  assert.deepEqual([responsibleId, suspendedAt], [owned.owner.id, null]);
});

test("who may not see or manage API keys reads why", async (t) => {
  const owned = await createOwner();
  await makeRule(owned, { role: "OWNER" });
  const path = `teams/${owned.team.slug}/trust-rules`;
  const viewer = await addMember(owned.team, owned.owner, "VIEWER");
  const page = await open(t, viewer, path);
  await page.getByText("Your role does not show this page").waitFor();
  assert.equal(await page.getByRole("link", { name: "Trust rules" }).count(), 0);

  // A MEMBER manages keys, but none that may do more than a MEMBER.
  const member = await addMember(owned.team, owned.owner, "MEMBER");
  const other = await open(t, member, path);
  await choose(other.getByRole("row").filter({ hasText: "Deployments" }), "Delete");
  const dialog = other.getByRole("dialog");
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await dialog.getByRole("alert").filter({ hasText: "role_exceeds_creator" }).waitFor();
  await other.keyboard.press("Escape");
  await press(other, "New trust rule");
  await pick(dialog.getByLabel("Where the tokens come from"), "Another OpenID Connect issuer");
  await dialog.getByLabel("Name", { exact: true }).fill("x");
  await dialog.getByLabel("Issuer", { exact: true }).fill("https://issuer.example.com");
  await dialog.getByLabel("Has to be").fill("acme");
  await pick(dialog.getByLabel("Role", { exact: true }), "Owner");
  await dialog.getByRole("button", { name: "New trust rule" }).click();
  await dialog.getByRole("alert").filter({ hasText: "role_exceeds_creator" }).waitFor();
  assert.equal((await rulesOf(owned)).length, 1);
});

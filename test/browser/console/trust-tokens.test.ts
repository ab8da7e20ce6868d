// Tokens of other issuers in the console: tried against the trust rules of a team, and the keys that they were exchanged for.
import assert from "node:assert/strict";
import { test } from "node:test";
import { SUBJECT, openWorkload } from "../../resources/workload.ts";
import { assertAccessible } from "../accessibility.ts";
import { press, startConsole } from "./console-world.ts";

const world = await startConsole();
const { open, request } = world;
const { github, trustRuleBody, createTrustRule, claimsNow, accepted, statusWith } = await openWorkload(world);

test("a token is tried, exchanged, and its key ended; the token stays nowhere", async (t) => {
  const { owner, team, scope } = await createTrustRule({ claims: { sub: SUBJECT, run_attempt: 1 } });
  const body = { ...trustRuleBody(), name: "Pods", issuer: "https://cluster.example.com", claims: { sub: "pod" } };
  assert.equal((await request("POST", `/v1/identity/trusts${scope}`, { token: owner.token, body })).status, 200);
  const page = await open(t, owner, `teams/${team.slug}/trust-rules`);
  await page.getByText("Never").first().waitFor();
  await press(page, "Try a token");
  const dialog = page.getByRole("dialog");
  const attempt = async (token: string) => {
    await dialog.getByLabel("Token").fill(token);
    await dialog.getByRole("button", { name: "Try it" }).click();
  };
  await attempt("not a token");
  await dialog.getByText("This token is not exchanged").waitFor();
  await dialog.getByText("fails", { exact: true }).waitFor();
  const wrong = await github.sign(claimsNow({ run_attempt: "1" }));
  await attempt(wrong);
  const claim = dialog.getByRole("row").filter({ hasText: "run_attempt" });
  await claim.getByText("does not fit").waitFor();
  assert.deepEqual(await claim.locator("td").allInnerTexts(), ["1", '"1"']);
  assert.match(await dialog.getByRole("row").filter({ hasText: /^sub/ }).first().innerText(), /^sub\s+fits/);
  const names = await dialog.locator("summary").allInnerTexts();
  assert.match(names[0] ?? "", /^Deployments/, "the rule that is nearest comes first");
  await assertAccessible(page, { name: "try-token" });
  const right = await github.sign(claimsNow({ run_attempt: 1 }));
  await attempt(right);
  await dialog.getByText("This token is exchanged for a key").waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const kept = await page.evaluate<string>(
    "document.documentElement.outerHTML + location.href + JSON.stringify([localStorage, sessionStorage, history.state])",
  );
  for (const token of [wrong, right]) assert.equal(kept.includes(token), false);

  const value = await accepted(team.id, right);
  assert.equal(await statusWith(value), 200);
  await page.reload();
  await page.getByRole("row").filter({ hasText: "Deployments" }).getByText("now", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Deployments", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: SUBJECT }).waitFor();
  await assertAccessible(page, { name: "issued-keys" });
  assert.equal((await page.content()).includes(value), false);
  await press(page, `Delete rvk_…${value.slice(-4)}`);
  await dialog.getByText("The next request with it is refused").waitFor();
  await dialog.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("None. A key ends").waitFor();
  assert.equal(await statusWith(value), 401);
});

// A removal that fails again and again holds up no other one, and is told until it succeeds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startOwnApp } from "../harness/test-app.ts";
import type { TestTeam } from "../harness/test-app.ts";
import { waitFor } from "../harness/wait-for.ts";
import { openVault } from "../resources/secrets.ts";

const lines: string[] = [];
const api = await startOwnApp({ logLevel: "warn" }, (line) => lines.push(line));
const { query, request } = api;

async function isPending({ id }: TestTeam): Promise<boolean> {
  return (await query(`select 1 from removals where owner_id = '${id}'`)).length > 0;
}

async function isTold(): Promise<boolean> {
  const { text } = await request("GET", "/metrics");
  return text.includes('reeve_housekeeping_failing{work="continueRemoval"} 1');
}

test("a removal that fails lets the others pass, and is told until it succeeds", async () => {
  const owner = await api.createUser();
  const teams = [await api.createTeam(owner), await api.createTeam(owner), await api.createTeam(owner)];
  for (const { id } of teams) {
    const vault = openVault(api, owner.token, id);
    // More than the deletion itself removes.
    for (let count = 0; count < 12; count++) await vault.add(`S_${count}`);
  }
  const byId = teams.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [stuck, other, last] = byId as [TestTeam, TestTeam, TestTeam];
  await query(`create table reports (team_id text references teams (id))`);
  await query(`insert into reports values ('${stuck.id}')`);

  await request("DELETE", `/v1/teams/${stuck.id}`, { token: owner.token });
  await waitFor("the failure", isTold);
  for (const team of [other, last]) {
    assert.equal((await request("DELETE", `/v1/teams/${team.id}`, { token: owner.token })).status, 200);
    await waitFor("the removal of another", async () => !(await isPending(team)));
  }
  assert.ok(await isPending(stuck));
  assert.ok(await isTold());
  const told = lines
    .map((line) => JSON.parse(line))
    .filter(({ msg }) => msg === "a removal failed and will be tried again");
  assert.deepEqual(
    told.map(({ owner: id }) => id),
    [stuck.id],
    "once",
  );

  await query("drop table reports");
  await waitFor("the removal", async () => !(await isPending(stuck)));
  await waitFor("the end of the failure", async () => !(await isTold()));
});

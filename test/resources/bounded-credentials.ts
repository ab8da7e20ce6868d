// API keys of a team that list permissions, that end, or that work from one network.
import assert from "node:assert/strict";
import { PERMISSIONS } from "../../src/platform/kernel/roles.ts";
import type { Permission } from "../../src/platform/kernel/roles.ts";
import { SECOND_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import type { TestApp, TestTeam, TestUser } from "../harness/test-app.ts";
import { createKey } from "./api-keys.ts";

/** The network that requests of tests come from. */
const OWN_NETWORK = "127.0.0.0/8";

export async function keyOf(api: TestApp, owner: TestUser, team: Pick<TestTeam, "id">, body: object): Promise<string> {
  const made = await createKey(api, owner.token, `?teamId=${team.id}`, body);
  assert.equal(made.status, 200, made.text);
  return made.body.value;
}

/** A key that may do all of this, and nothing else. */
export async function keyWith(
  api: TestApp,
  owner: TestUser,
  team: Pick<TestTeam, "id">,
  permissions: readonly Permission[],
): Promise<string> {
  return await keyOf(api, owner, team, { permissions: PERMISSIONS.filter((one) => permissions.includes(one)) });
}

/** Keys that may do everything in the team, within bounds. */
export async function boundedKeys(api: TestApp, owner: TestUser, team: Pick<TestTeam, "id">) {
  return [
    { bound: "that ends", key: await keyOf(api, owner, team, { expiresAt: api.clock.now + 5 * SECOND_MS }) },
    { bound: "of one network", key: await keyOf(api, owner, team, { allowedCidrs: [OWN_NETWORK] }) },
  ];
}

// The examples of attack challenge mode, and of the reports that switch it.
import { HOUR_MS } from "../../src/platform/kernel/scheduling/clock.ts";
import { uniqueName } from "../harness/test-app.ts";
import { newProject } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

/** A project whose mode switches itself, and for which nothing is usual. */
async function newWatchedProject(world: World) {
  const { teamId, projectId } = await newProject(world);
  const { now } = world.clock;
  await world.query(
    `insert into attack_mode_automatic (owner_id, project_id, is_enabled, updated_at, revision, learned_at, history_since, usual_requests)
      values ('${teamId}', '${projectId}', 1, ${now}, 1, ${now}, ${now}, 0)`,
  );
  await world.query(`update attack_modes set is_enabled = 0, set_by = 'end' where project_id = '${projectId}'`);
  return { teamId, projectId };
}

export const ATTACK_MODE_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  getAttackMode: async (world) => ({ query: await newProject(world) }),
  setAttackMode: async (world) => {
    const { teamId, projectId } = await newProject(world);
    const attackModeActiveUntil = world.clock.now + HOUR_MS;
    return { query: { teamId }, body: { projectId, attackModeEnabled: true, attackModeActiveUntil } };
  },
  getAutomaticAttackMode: async (world) => ({ query: await newWatchedProject(world) }),
  setAutomaticAttackMode: async (world) => ({ query: await newWatchedProject(world), body: { enabled: false } }),
  reportTraffic: async (world) => {
    const at = world.clock.now;
    return {
      query: await newWatchedProject(world),
      body: {
        counts: [
          { at, host: `${uniqueName("host")}.example.com`, action: "deny", ip: "192.0.2.1", count: 42 },
          { at, host: "example.com", action: "allow", ruleId: null, count: 1_000 },
        ],
        responses: [{ at, count: 1_000, errors: 3 }],
      },
    };
  },
};

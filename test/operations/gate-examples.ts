// The examples of what gates read and report.
import { newDecision } from "../resources/decisions.ts";
import { openFirewall } from "../resources/firewalls.ts";
import { newFirewall } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

export const GATE_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  getGateBundle: newFirewall,
  streamGateChanges: ({ team }) => ({ query: { teamId: team.id } }),
  reportGateDecisions: async (world) => ({
    ...(await newFirewall(world)),
    body: { decisions: [newDecision(world.clock.now)] },
  }),
  listGateDecisions: ({ team }) => ({
    query: { teamId: team.id, projectId: "default", action: "deny", ruleId: "rule_1", host: "shop.test", limit: "2" },
  }),
  getGateDecision: async ({ request, team, owner, clock }) => {
    await openFirewall({ request }, owner.token, "default", team.id).set();
    const decision = newDecision(clock.now);
    const body = { decisions: [decision] };
    await request("POST", `/v1/gate/decisions?teamId=${team.id}`, { token: owner.token, body });
    return { params: { decisionId: decision.id }, query: { teamId: team.id } };
  },
  reportGateEngine: async (world) => ({ ...(await newFirewall(world)), body: { crs: "modsecurity" } }),
};

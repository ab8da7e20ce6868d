// The examples of what gates read and report.
import { newFirewall } from "./example-things.ts";
import type { Example } from "./example-things.ts";
import type { World } from "./world.ts";

export const GATE_EXAMPLES: Readonly<Record<string, (world: World) => Example | Promise<Example>>> = {
  getGateBundle: newFirewall,
  streamGateChanges: ({ team }) => ({ query: { teamId: team.id } }),
  reportGateEngine: async (world) => ({ ...(await newFirewall(world)), body: { crs: "modsecurity" } }),
};

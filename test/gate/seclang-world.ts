// What tests of the core rule set share: configurations of its categories, and a keeper of files for an engine.
import { after } from "node:test";
import { CRS_CATEGORIES } from "../../src/firewall/evaluator/config.ts";
import { createControlPlane } from "../../src/gate/bundle/control-plane.ts";
import type { GateLog } from "../../src/gate/gate-log.ts";
import { createSeclangKeeper } from "../../src/gate/seclang/seclang-keeper.ts";
import type { SeclangConfiguration, SeclangKeeper } from "../../src/gate/seclang/seclang-keeper.ts";
import { SILENT } from "./gate-world.ts";
import type { GateWorld } from "./gate-world.ts";

/** All categories deny, but for these. */
export function crsWith(others: Readonly<Record<string, "log" | "off">> = {}, rules: readonly object[] = []) {
  const crs = Object.fromEntries(
    CRS_CATEGORIES.map((name) => {
      const other = others[name] ?? "deny";
      return [name, { active: other !== "off", action: other === "off" ? "deny" : other }];
    }),
  );
  return { firewallEnabled: true, crs, rules };
}

/** It ends with the tests. */
export function createKeeper(
  world: GateWorld,
  project: string,
  configuration: Partial<SeclangConfiguration> & Pick<SeclangConfiguration, "out">,
  { server = world.server, log = SILENT }: { readonly server?: string; readonly log?: GateLog } = {},
): SeclangKeeper {
  const keeper = createSeclangKeeper(
    {
      hosts: [{ host: "*", team: world.team.slug, project }],
      dir: world.newFolder(),
      detectOnly: [],
      loaded: null,
      rules: "/usr/share/modsecurity-crs/rules",
      paranoia: null,
      engine: "modsecurity",
      auditLog: null,
      ...configuration,
    },
    { controlPlane: createControlPlane({ server, key: () => world.key }), server, clock: () => world.clock.now, log },
  );
  after(() => keeper.stop());
  return keeper;
}

// Two sites behind one proxy: each has an application of its own, which says its name, and a project that protects it.
import type { RequestListener } from "node:http";
import { listenOn, startGateWorld } from "../gate-world.ts";
import { startProxy } from "./proxy-programs.ts";
import type { Ports, Proxy } from "./proxy-programs.ts";

/** Who has this header may use the first site; everybody else is denied. */
export const LET_IN = { name: "x-let-in", value: "yes" } as const;

interface Seen {
  readonly url: string;
  /** As the two headers say it that applications look at. */
  readonly hosts: readonly string[];
  readonly isLetIn: boolean;
  readonly seen: string;
}

/** An application that notes what it gets. */
async function startApplication(name: string) {
  const requests: Seen[] = [];
  const listener: RequestListener = (message, res) => {
    const { url = "", method, headers } = message;
    const isLetIn = headers[LET_IN.name] === LET_IN.value;
    const hosts = [headers.host, headers["x-forwarded-host"]].map(String);
    requests.push({ url, hosts, isLetIn, seen: `${method} ${url} ${JSON.stringify(headers)}` });
    message.resume();
    message.on("end", () => res.setHeader("x-application", name).end());
  };
  return { requests, url: (await listenOn(listener)).url };
}

const world = await startGateWorld();
const isNotLetIn = { type: "header", key: LET_IN.name, op: "eq", value: LET_IN.value, neg: true };
const denied = await world.newProject({
  firewallEnabled: true,
  rules: [
    {
      name: "Only who is let in",
      active: true,
      conditionGroup: [{ conditions: [isNotLetIn] }],
      action: { mitigate: { action: "deny" } },
    },
  ],
});
const free = await world.newProject({ firewallEnabled: true, rules: [] });
export const admin = await startApplication("admin");
export const open = await startApplication("open");

export type Fallback = "admin.test" | "open.test" | "neither";

/** A site for each of both hosts. The one that takes all other hosts does so in the proxy as at the gate. */
export async function startSites(proxy: Proxy, fallback: Fallback): Promise<Ports> {
  const team = world.team.slug;
  const gate = await world.startGate({
    hosts: [
      { host: fallback === "admin.test" ? "*" : "admin.test", team, project: denied },
      // Where no site takes other hosts, the gate would let them through.
      { host: fallback === "admin.test" ? "open.test" : "*", team, project: free },
    ],
  });
  const ports = await startProxy(proxy, {
    folder: world.newFolder(),
    gate: gate.url,
    sites: [
      { host: "admin.test", application: admin.url, isFallback: fallback === "admin.test" },
      { host: "open.test", application: open.url, isFallback: fallback === "open.test" },
    ],
  });
  admin.requests.length = open.requests.length = 0;
  return ports;
}

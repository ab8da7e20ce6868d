import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import type { GateStart } from "../bodies/gate.ts";
import { gateGeoCommands } from "./gate-geo.ts";
import { gateWhyCommand } from "./gate-why.ts";
import { gateSeclangCommand } from "./gate-seclang.ts";
import { readGate } from "../../serve/config/config.ts";

function describeProject({ project, version, hasBundle, problem }: GateStart["projects"][number]): string {
  if (!hasBundle) return `${project}  NOT PROTECTED: ${problem ?? "there is no bundle"}`;
  const what = version === null ? "no configuration is active" : `version ${version}`;
  return problem === null ? `${project}  ${what}` : `${project}  ${what}, from disk: ${problem}`;
}

function describeStart({ url, server, upstream, projects }: GateStart): string {
  const [first = "", ...others] = projects.map(describeProject);
  return [
    `The gate listens on  ${url}`,
    `Control plane        ${server}`,
    upstream === null ? "Proxies ask at       /.well-known/reeve/check" : `Protects             ${upstream}`,
    `Projects             ${first}`,
    ...others.map((line) => `                     ${line}`),
  ].join("\n");
}

export const gateCommand: CommandSpec<{ readonly keyFile?: string }> = {
  name: "gate",
  needs: "gate",
  summary: "enforce firewalls in front of an application",
  description:
    "Enforce the firewalls and attack challenge modes of projects in front of an application, until told to stop. Proxies such as nginx ask " +
    "it about each request, or with --upstream it is the proxy itself. It decides by the last configuration it has got, also while the " +
    "control plane is away. It does not start (exit code 78) for a project that it has no configuration of and that the control plane refuses. Credentials have no flags, because others on the machine see these: REEVE_GATE_REDIS_URL is the Redis or Valkey in " +
    "which gates share counters, and REEVE_GATE_RATE_LIMIT_SECRET the RATE_LIMIT_SECRET of applications that ask for rate limits; " +
    "REEVE_GATE_REDIS_URL_FILE and REEVE_GATE_RATE_LIMIT_SECRET_FILE name files with them.",
  examples: [
    "reeve gate --server https://reeve.example.com --key-file gate.key --hosts '*=acme/shop' --upstream http://127.0.0.1:3000",
    "reeve gate --server http://localhost:4000 --key-file gate.key --hosts 'shop.test=acme/shop,*.acme.com=acme/site'",
  ],
  options: [new Option("--key-file <file>", "file with the gate's API key (REEVE_GATE_KEY_FILE, or REEVE_GATE_KEY)")],
  commands: [gateWhyCommand, gateGeoCommands, gateSeclangCommand],
  async run({ gateFlags, options: { keyFile }, output }) {
    const flags = { ...gateFlags, ...(keyFile !== undefined && { keyFile }) };
    const settings = readGate(flags);
    const { protect } = await import("../bodies/gate.ts");
    return await protect(
      settings,
      () => readGate(flags),
      (start) => output.result(start, describeStart(start)),
    );
  },
};

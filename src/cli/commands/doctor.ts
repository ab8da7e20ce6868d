import { Option } from "commander";
import type { CommandSpec } from "../command.ts";
import { exitCode } from "../../platform/outcomes/failure.ts";
import { formatTable } from "../output.ts";
import type { Finding } from "../../platform/outcomes/finding.ts";
import { readGate, readSettings } from "../../serve/config/config.ts";
import type { Flags } from "../../serve/config/config.ts";
import { gateUrl } from "../../serve/config/gate-settings.ts";

function describeFindings(findings: readonly Finding[]): string {
  const table = formatTable(
    ["check", "status", "detail"],
    findings.map(({ check, status, detail }) => [check, status, detail]),
  );
  const advice = findings.flatMap((finding) =>
    finding.advice === undefined ? [] : [`${finding.check}: ${finding.advice}`],
  );
  return [table, ...advice.map((line) => `\n${line}`)].join("\n");
}

async function examineStore(flags: Flags): Promise<readonly Finding[]> {
  const settings = readSettings(flags);
  const { examine } = await import("../bodies/doctor.ts");
  return await examine(settings);
}

/** `gate` is its URL; true: that of REEVE_GATE_LISTEN of this machine. */
async function examineGate(gate: string | true): Promise<readonly Finding[]> {
  const url = gate === true ? gateUrl(readGate()) : gate;
  return await (await import("../bodies/doctor-gate.ts")).examineGate(url);
}

export const doctorCommand: CommandSpec<{ readonly gate?: string | true }> = {
  name: "doctor",
  summary: "check the settings and the store, or a gate",
  description:
    "Check the settings and the store: reachable, writable, undamaged, of this version's schema, room on the disk, on " +
    "PostgreSQL the privileges of the role and what a pooler makes of sessions, and " +
    "event chains as `reeve events verify` sees them (of more than 100 000 events, only where they end), and accounts that share a mailbox. With --gate, check a gate instead, from beside it: its bundles, who asks it, and " +
    "who was refused. Changes nothing. Exits with 4 when something is wrong.",
  examples: ["reeve doctor", "reeve doctor --json", "reeve doctor --gate http://127.0.0.1:4080"],
  options: [new Option("--gate [url]", "URL at which the gate listens; without it, that of REEVE_GATE_LISTEN")],
  async run({ flags, options: { gate }, output }) {
    const findings = gate === undefined ? await examineStore(flags) : await examineGate(gate);
    const isHealthy = findings.every(({ status }) => status !== "fault");
    output.result({ healthy: isHealthy, findings }, describeFindings(findings));
    return exitCode(isHealthy ? "ok" : "fault");
  },
};

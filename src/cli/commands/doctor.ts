import type { CommandSpec } from "../command.ts";
import { exitCode } from "../failure.ts";
import { formatTable } from "../output.ts";
import type { Finding } from "../reeve.ts";

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

export const doctorCommand: CommandSpec<object> = {
  name: "doctor",
  summary: "check the settings and the store",
  description:
    "Check the settings and the store: reachable, writable, undamaged, of this version's schema, room on the disk, on " +
    "PostgreSQL the privileges of the role and what a pooler makes of sessions, and " +
    "event chains that end where they should. Changes nothing. Exits with 4 when something is wrong.",
  examples: ["reeve doctor", "reeve doctor --json"],
  async run({ reeve, flags, output }) {
    const findings = await reeve.examine(flags);
    const isHealthy = findings.every(({ status }) => status !== "fault");
    output.result({ healthy: isHealthy, findings }, describeFindings(findings));
    return exitCode(isHealthy ? "ok" : "fault");
  },
};

import type { CommandSpec } from "./command.ts";
import { exitCode } from "./failure.ts";
import type { ChainReport } from "./reeve.ts";

function describeReport({ owners, events, firstFault }: ChainReport): string {
  if (!firstFault) return `Verified ${events} events of ${owners} owners: every chain is whole.`;
  const { ownerId, sequence, eventId, kind, reason } = firstFault;
  const place = `event ${sequence} of ${ownerId}${eventId === null ? "" : ` (${eventId})`}`;
  return `The chain is broken at ${place}: ${kind}; ${reason}.\nWhat comes after it was not verified.`;
}

export const eventsVerifyCommand: CommandSpec<object> = {
  name: "verify",
  summary: "prove that no recorded event was tampered with",
  description:
    "Recompute the chain of every owner's events and name the first one that was changed, removed, inserted or " +
    "reordered. Reads only; works beside a running server. Exits with 4 when a chain is broken.",
  examples: ["reeve events verify", "reeve events verify --json"],
  async run({ reeve, flags, output }) {
    const report = await reeve.verifyEvents(flags);
    output.result({ intact: report.firstFault === null, ...report }, describeReport(report));
    return exitCode(report.firstFault === null ? "ok" : "fault");
  },
};

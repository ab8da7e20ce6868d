import type { CommandSpec } from "../command.ts";
import { POLICY_TEXTS, describeCause, describeReason, describeStep } from "../../platform/outcomes/decision-text.ts";
import { formatTime } from "../output.ts";
import { teamOption } from "../place-options.ts";
import type { FoundDecision } from "../bodies/remote/gate-decision.ts";
import { readRemote } from "../../serve/config/config.ts";

type Decision = FoundDecision["decision"];

/** The decision in one line; with detect only, also what it would have been. */
function describeDecision(decision: Decision): string {
  const { action, status, wouldBe, reason, detail, by, logged, steps } = decision;
  const what = `${action}${status === null ? "" : ` ${status}`}`;
  const policy = reason === null ? "" : ` (${reason})`;
  const otherwise = wouldBe === null ? "" : `, and would be ${wouldBe}`;
  if (by === null && reason !== null) {
    return `${what}${otherwise}: the policy ${reason}, and no rule${detail === undefined ? "" : ` (${detail})`}`;
  }
  if (by === null && logged.length > 0) return `${what}: only logged`;
  const why = describeReason({ decision: { action: wouldBe ?? action, status, by }, steps: steps ?? [] });
  return `${what}${policy}${otherwise}: ${why}`;
}

function describeSteps({ by, reason, steps, omittedSteps }: Decision): string[] {
  // What a policy decided has none.
  if (steps === null) return by === null && reason !== null ? [] : ["", "The gate did not record the steps."];
  const [before, after] = [false, true].map((isAfter) =>
    steps.filter(({ isAfterDecision = false }) => isAfterDecision === isAfter),
  );
  return [
    ...(before?.length ? ["", "Step by step:"] : []),
    ...(before ?? []).map((step) => `  ${describeStep(step)}`),
    ...(after?.length ? ["", "What would have followed:"] : []),
    ...(after ?? []).map((step) => `  ${describeStep(step)}`),
    ...(omittedSteps === 0 ? [] : ["", `Further steps that were left out: ${omittedSteps}`]),
  ];
}

function describeFound({ team, decision }: FoundDecision): string {
  const { id, at, projectId, version, method, scheme, host, target, ip, userAgent, reason, detail, logged } = decision;
  const lines = [
    ["Decision", `${id}, ${formatTime(at, "")}`],
    ["Project", team === null ? projectId : `${team}/${projectId}`],
    ["Version", version === null ? "no configuration was active" : String(version)],
    ["Request", `${method} ${scheme}://${host}${target}`],
    ["Client", [ip ?? "its address is not recorded", ...(userAgent === null ? [] : [userAgent])].join(", ")],
    ...(reason === null ? [] : [["Policy", POLICY_TEXTS[reason] ?? reason]]),
    ...(detail === undefined ? [] : [["Found", detail]]),
    ...logged.map((cause) => ["Logged by", describeCause(cause)]),
  ];
  return [
    describeDecision(decision),
    "",
    ...lines.map(([label = "", text = ""]) => `${label.padEnd(10)}${text}`),
    ...describeSteps(decision),
  ].join("\n");
}

export const gateWhyCommand: CommandSpec<{ readonly team?: string }> = {
  name: "why",
  needs: "server",
  summary: "find out why a gate refused a request, by the id that its client got",
  description:
    "Find out why a gate refused or logged a request. The id is on the page or in the problem document that the client got, and in " +
    "the header X-Reeve-Decision. Without a team (--team, REEVE_TEAM or `reeve link`) every team that you may see is looked through.",
  examples: ["reeve gate why UfzlfYGPYJ0007", "reeve gate why UfzlfYGPYJ0007 --team acme --json"],
  arguments: [{ name: "<id>", help: "the id of the decision" }],
  options: [teamOption("id or slug of the team whose project it is")],
  async run({ remoteFlags, options: { team }, args: [id = ""], output }) {
    const { findDecision } = await import("../bodies/remote/gate-decision.ts");
    const found = await findDecision(readRemote(remoteFlags), remoteFlags, { id, team: team ?? null });
    output.result(found, describeFound(found));
  },
};

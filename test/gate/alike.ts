// Holds a way in front of an application against what `evaluate` predicts for the corpus.
import assert from "node:assert/strict";
import { parseDecisionHeader } from "../../src/gate/decision.ts";
import { REQUESTS, attributesOf } from "./corpus.ts";
import type { CorpusRequest } from "./corpus.ts";
import type { GateAnswer, GateWorld } from "./gate-world.ts";

export const STATUS: Readonly<Record<string, number>> = {
  allow: 200,
  bypass: 200,
  deny: 403,
  challenge: 403,
  rate_limit: 429,
  redirect: 301,
};

export type AssertAlike = (
  send: (request: CorpusRequest) => Promise<GateAnswer>,
  statuses?: Readonly<Record<string, number>>,
  requests?: readonly CorpusRequest[],
) => Promise<void>;

const LOGGED = /^log; rule=([\w.:-]+); version=\d+; id=\w+$/;

/** `deny by rule_1` */
function outcomeOf(header: string | undefined): string {
  const [, logging] = LOGGED.exec(header ?? "") ?? [];
  if (logging !== undefined) return `log by ${logging}`;
  const decision = parseDecisionHeader(header ?? "");
  if (!decision) return `no decision: ${String(header)}`;
  return decision.by ? `${decision.action} by ${decision.by.id}` : decision.action;
}

/** The header of the application's own echo when the request reached it, else that of the refusal. */
function decisionIn({ headers, text }: GateAnswer): string | undefined {
  const own = headers["x-reeve-decision"];
  if (own !== undefined) return String(own);
  return text.startsWith("{")
    ? (JSON.parse(text) as { headers?: Record<string, string> }).headers?.["x-reeve-decision"]
    : undefined;
}

/** Asks `evaluate` about the corpus. Returns what sends it another way, request by request, and compares. */
export async function expectDecisions(world: GateWorld, project: string): Promise<AssertAlike> {
  const decisions = await world.evaluate(project, REQUESTS.map(attributesOf));
  const expected = decisions.map(({ action, by, logged: [logging] }): string => {
    if (by?.id) return `${action} by ${by.id}`;
    return action === "allow" && logging ? `log by ${logging.id}` : action;
  });
  assert.ok(new Set(expected).size > 12, "the corpus reaches most rules");
  return async (send, statuses = STATUS, requests = REQUESTS) => {
    for (const [at, request] of REQUESTS.entries()) {
      if (!requests.includes(request)) continue;
      const answer = await send(request);
      const what = `${request.method} ${request.target.slice(0, 60)} ${JSON.stringify(request.headers)} from ${request.ip}`;
      assert.equal(outcomeOf(decisionIn(answer)), expected[at], what);
      assert.equal(answer.status, statuses[decisions[at]?.action ?? ""], what);
    }
  };
}

// The gate's own response to a request that it does not let through.
import type { Challenges } from "../challenge/challenges.ts";
import type { ChallengeScope } from "../challenge/keys.ts";
import { DECISION_HEADER, decisionHeader } from "../decision.ts";
import type { GateDecision } from "../decision.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import type { ProtectedProject } from "../project.ts";
import { refuse } from "../refusal.ts";

/** Null: there is no bundle, and so there are no keys. */
export function challengeScope({ protection }: ProtectedProject): ChallengeScope | null {
  if (!protection) return null;
  const { ownerId, projectId, challengeKeys, attackMode } = protection.bundle;
  return { ownerId, projectId, keys: challengeKeys, attackMode };
}

/** `body` is that of the request, where the gate has it: a small form survives a challenge. */
export function answerOf(
  challenges: Challenges,
  project: ProtectedProject | undefined,
  request: GateRequest,
  decision: GateDecision,
  body?: string,
): GateResponse {
  const scope = decision.action === "challenge" && project ? challengeScope(project) : null;
  if (!scope) return refuse(request, decision);
  const response = challenges.respond(request, scope, { id: decision.id, rule: null }, { body });
  return { ...response, headers: { ...response.headers, [DECISION_HEADER]: decisionHeader(decision) } };
}

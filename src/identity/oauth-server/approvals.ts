// The approval of programs by a person who is signed in: what waits for a decision, and the decision.
import { formatWait } from "../../platform/kernel/text/time-text.ts";
import type { Caller, Origin } from "../../platform/kernel/caller.ts";
import { hashCredential } from "../../platform/kernel/credential.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { subscriberOf } from "../../platform/kernel/network/network.ts";
import { requireFreshProof } from "../../platform/kernel/giving.ts";
import { findRequest, unknownRequest } from "../programs/approval.ts";
import type { RequestModel, WaitingRequest } from "../programs/approval.ts";
import { findClient } from "../programs/clients.ts";
import type { Choice } from "../programs/grant.ts";
import { DEFAULT_LIFETIME_DAYS, LIFETIMES_DAYS } from "../programs/rules.ts";
import { findPause } from "../methods/failures/failures.ts";
import type { AdapterDependencies } from "./adapter.ts";

/** A program that waits, as its page shows it. */
export interface WaitingProgram extends WaitingRequest {
  readonly clientName: string;
  /** The request came from another network than the person who looks at it. */
  readonly isFromElsewhere: boolean;
}

/** The person at the page, and where they are. */
export interface Approver {
  readonly caller: Caller;
  readonly origin: Origin;
}

/** One way in which programs ask. `code` is what leads to the request: what people type, or what their browser holds. */
export interface Requests {
  /** Throws `proof_required`, `device_code_unknown` or, after too many of these, `too_many_sign_ins`. */
  find(code: string, approver: Approver): Promise<WaitingProgram>;
  /** Approves with a choice, or refuses with null. Throws the same, and refusals of the choice. */
  decide(code: string, choice: Choice | null, approver: Approver): Promise<WaitingProgram>;
}

export interface Approvals {
  /** What a person may choose for the life of a token, in days; null: without an end. */
  readonly lifetimesDays: readonly (number | null)[];
  readonly defaultLifetimeDays: number;
  /** By user codes. */
  readonly devices: Requests;
  /** By the browser that a program has opened. */
  readonly interactions: Requests;
}

/** What people type: in any case, with any signs between the letters. */
function normalize(userCode: string): string {
  return userCode.toUpperCase().replaceAll(/[^A-Z]/g, "");
}

function refusePause(pauseMs: number): void {
  if (pauseMs === 0) return;
  const seconds = Math.ceil(pauseMs / 1000);
  throw new ApiError("too_many_sign_ins", `Too many wrong codes: try again in ${formatWait(seconds)}`, {
    retryAfter: seconds,
  });
}

function requireLifetime({ lifetimeDays }: Choice): void {
  if (LIFETIMES_DAYS.includes(lifetimeDays)) return;
  const days = LIFETIMES_DAYS.filter((one) => one !== null);
  throw fieldError("bad_request", "lifetime", `expected ${days.join(", ")} days, or never`);
}

interface RequestKind {
  readonly model: RequestModel;
  /** People type the code, so wrong ones are counted. */
  readonly isGuessable: boolean;
  /** What the store knows the code by. */
  toHash(code: string): string;
}

const DEVICES: RequestKind = {
  model: "DeviceCode",
  isGuessable: true,
  toHash: (code) => hashCredential(normalize(code)),
};
const INTERACTIONS: RequestKind = { model: "Interaction", isGuessable: false, toHash: hashCredential };

type ApprovalDependencies = Pick<AdapterDependencies, "reader" | "changes" | "clock" | "maxTokens">;

function createRequests(
  { reader, changes, clock, maxTokens }: ApprovalDependencies,
  { model, isGuessable, toHash }: RequestKind,
): Requests {
  async function find(code: string, { caller, origin }: Approver): Promise<WaitingProgram> {
    const now = clock();
    requireFreshProof(caller, now);
    const subjects = isGuessable ? [`device-code:${caller.principalId}`] : [];
    if (isGuessable) refusePause(await findPause(reader, subjects, now));
    const found = await findRequest(reader, { model, hash: toHash(code) }, now);
    if (!found) {
      if (isGuessable) await changes.recordSignInFailure({ failed: null, subjects, origin }, now);
      throw unknownRequest();
    }
    const clientName = findClient(found.clientId)?.name ?? found.clientId;
    return { ...found, clientName, isFromElsewhere: subscriberOf(found.ip) !== subscriberOf(origin.ip) };
  }

  return {
    find,
    async decide(code, choice, approver) {
      const found = await find(code, approver);
      if (choice) requireLifetime(choice);
      const { caller, origin } = approver;
      const request = { model, hash: toHash(code) };
      await changes.decideRequest({ request, userId: caller.principalId, origin, choice, maxTokens }, clock());
      return found;
    },
  };
}

export function createApprovals(dependencies: ApprovalDependencies): Approvals {
  return {
    lifetimesDays: LIFETIMES_DAYS,
    defaultLifetimeDays: DEFAULT_LIFETIME_DAYS,
    devices: createRequests(dependencies, DEVICES),
    interactions: createRequests(dependencies, INTERACTIONS),
  };
}

// The approval of a program by a person who is signed in: looking up the code that the program shows, and deciding about it.
import type { Caller, Origin } from "../../kernel/caller.ts";
import { hashCredential } from "../../kernel/credential.ts";
import { ApiError, fieldError } from "../../kernel/errors.ts";
import { subscriberOf } from "../../kernel/network/network.ts";
import { hasFreshProof, requireFreshProof } from "../../operations/authorize.ts";
import { findDeviceRequest, unknownDeviceCode } from "../../resources/oauth/approval.ts";
import type { Choice, DeviceRequest } from "../../resources/oauth/approval.ts";
import { findClient } from "../../resources/oauth/clients.ts";
import { DEFAULT_LIFETIME_DAYS, LIFETIMES_DAYS } from "../../resources/oauth/rules.ts";
import { findPause } from "../../resources/sign-in/failures.ts";
import type { AdapterDependencies } from "./adapter.ts";

/** A program that waits, as its page shows it. */
export interface WaitingDevice extends DeviceRequest {
  /** The request came from another network than the person who looks at it. */
  readonly isFromElsewhere: boolean;
  readonly clientName: string;
  /** The code as the program shows it. */
  readonly userCode: string;
}

/** The person at the page, and where they are. */
export interface Approver {
  readonly caller: Caller;
  readonly origin: Origin;
}

export interface DeviceApproval {
  /** What a person may choose for the life of a token, in days; null: without an end. */
  readonly lifetimesDays: readonly (number | null)[];
  readonly defaultLifetimeDays: number;
  /** Whether the person has to prove again who they are before they approve anything. */
  needsProof(caller: Caller): boolean;
  /** Throws `proof_required`, `device_code_unknown` or, after too many of these, `too_many_sign_ins`. */
  find(userCode: string, approver: Approver): Promise<WaitingDevice>;
  /** Approves with a choice, or refuses with null. Throws the same, and refusals of the choice. */
  decide(userCode: string, choice: Choice | null, approver: Approver): Promise<WaitingDevice>;
}

/** What people type: in any case, with any signs between the letters. */
function normalise(userCode: string): string {
  return userCode.toUpperCase().replaceAll(/[^A-Z]/g, "");
}

/** In two groups, as the program shows it. */
export function formatUserCode(userCode: string): string {
  const letters = normalise(userCode).slice(0, 8);
  return letters.length <= 4 ? letters : `${letters.slice(0, 4)}-${letters.slice(4)}`;
}

export function createDeviceApproval({
  reader,
  commands,
  clock,
  maxTokens,
}: Omit<AdapterDependencies, "notePoll">): DeviceApproval {
  async function find(userCode: string, { caller, origin }: Approver): Promise<WaitingDevice> {
    const now = clock();
    requireFreshProof(caller, now);
    const subjects = [`device-code:${caller.principalId}`];
    const pauseMs = await findPause(reader, subjects, now);
    if (pauseMs > 0) {
      const seconds = Math.ceil(pauseMs / 1000);
      throw new ApiError("too_many_sign_ins", `Too many wrong codes: try again in ${seconds} s`, {
        retryAfter: seconds,
      });
    }
    const found = await findDeviceRequest(reader, hashCredential(normalise(userCode)), now);
    if (!found) {
      await commands.recordSignInFailure({ failed: null, subjects, origin }, now);
      throw unknownDeviceCode();
    }
    const clientName = findClient(found.clientId)?.name ?? found.clientId;
    const isFromElsewhere = subscriberOf(found.ip) !== subscriberOf(origin.ip);
    return { ...found, clientName, userCode: formatUserCode(userCode), isFromElsewhere };
  }

  return {
    lifetimesDays: LIFETIMES_DAYS,
    defaultLifetimeDays: DEFAULT_LIFETIME_DAYS,
    needsProof: (caller) => !hasFreshProof(caller, clock()),
    find,
    async decide(userCode, choice, approver) {
      const found = await find(userCode, approver);
      if (choice && !LIFETIMES_DAYS.includes(choice.lifetimeDays)) {
        throw fieldError("bad_request", "lifetime", `expected ${LIFETIMES_DAYS.join(", ")} days, or never`);
      }
      const { caller, origin } = approver;
      const lookupHash = hashCredential(normalise(userCode));
      const decision = { lookupHash, userId: caller.principalId, origin, choice, maxTokens };
      await commands.decideDevice(decision, clock());
      return found;
    },
  };
}

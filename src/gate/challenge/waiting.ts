// Bounds the passes that a network gets by waiting, which costs a program nothing. Gates that share a store count them together.
import { createCounters } from "../../firewall/evaluator/counters.ts";
import type { Limit } from "../../firewall/evaluator/counting.ts";
import { parseAddress } from "../../platform/kernel/network/network.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { counterScope } from "../counters/counter-store.ts";
import type { Counting } from "../counters/counting.ts";
import type { GateRequest } from "../message.ts";
import type { ChallengeScope } from "./keys.ts";

const NAME = "challenge-wait";
/** Ten at once, and then one a minute. */
const LIMIT: Limit = {
  rule: NAME,
  key: NAME,
  algo: "token_bucket",
  windowMs: 10 * MINUTE_MS,
  limit: 10,
  hold: null,
  continues: false,
};
/** Whose addresses embed one of IPv4, behind the prefix: NAT64 (RFC 6052) and 6to4 (RFC 3056). */
const EMBEDDING = [
  [0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
  [0x20, 0x02],
] as const;

/** The /24 or /64 of the client. Clients without an address are one network. */
function networkOf({ ip }: GateRequest): string {
  const address = ip === undefined ? null : parseAddress(ip);
  if (!address) return "";
  const { kind, bytes } = address;
  if (kind === "ipv4") return bytes.slice(0, 3).join(".");
  const prefix = EMBEDDING.find((known) => known.every((byte, at) => byte === bytes[at]));
  return (prefix ? bytes.slice(prefix.length, prefix.length + 3) : bytes.slice(0, 8)).join(".");
}

export interface Waiting {
  /** Counts a pass for the network of the request. Returns 0, or in how many ms the network can have a further one. */
  take(request: GateRequest, scope: ChallengeScope): Promise<number>;
}

export function createWaiting(counting: Counting, clock: Clock): Waiting {
  const counters = createCounters();
  return {
    async take(request, scope) {
      const now = clock();
      const project = counterScope(scope);
      const client = `${project}:${networkOf(request)}`;
      const { result } = await counting.run(counters, project, now, (by) => by.count(LIMIT, client, now));
      return result.isExceeded ? result.waitMs : 0;
    },
  };
}

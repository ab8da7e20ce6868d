// What a gate needs to decide about the requests of one project: the control plane sends it, gates keep it on disk.
import type { VerifiableBot } from "../../platform/kernel/bots.ts";
import type { Configuration } from "./config.ts";
import type { BypassEntry, BypassRule } from "./protection-context.ts";

/** A key that signs challenges and passes on one day (UTC). */
export interface ChallengeKey {
  /** The day: whole days since the epoch. */
  readonly day: number;
  /** 32 bytes, base64url. */
  readonly key: string;
}

/** An entry of the bypass list with its end. */
export interface ExpiringBypass extends BypassEntry {
  /** ms since the epoch; null: never. */
  readonly expiresAt: number | null;
}

/** All times are ms since the epoch. What ends by itself ends at every gate at the same time, with or without the control plane. */
export interface Bundle {
  /** Id of the team or user that the project belongs to. */
  readonly ownerId: string;
  readonly projectId: string;
  /** The active configuration; null: none is active, and all requests are allowed but for attack challenge mode. */
  readonly configuration: ActiveConfiguration | null;
  readonly attackMode: {
    readonly isEnabled: boolean;
    /** When the mode ends by itself; null: never, or it is off. */
    readonly activeUntil: number | null;
    /** When it was switched on; null: it is off. Absent in bundles of before. */
    readonly since?: number | null;
  };
  readonly bypasses: readonly ExpiringBypass[];
  readonly bypassRules: readonly BypassRule[];
  /** Of yesterday, today and the days after it, in order. */
  readonly challengeKeys: readonly ChallengeKey[];
  /** Bots that are verified and not challenged; absent in bundles of before. */
  readonly bots?: readonly VerifiableBot[];
}

/** A version of a firewall configuration. */
export interface ActiveConfiguration extends Configuration {
  readonly version: number;
}

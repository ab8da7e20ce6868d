// What verifying event chains takes, and what it finds.

/** The keys and checkpoints to verify event chains with. */
export interface Verification {
  /** The public keys to trust, as texts or files; when empty, the keys named beside the checkpoints. */
  readonly publicKeys: readonly string[];
  /** A file of checkpoints that were stored elsewhere. */
  readonly checkpoints: string | null;
}

/** A key whose checkpoints are trusted. */
export interface TrustedKey {
  readonly id: string;
  readonly publicKey: string;
  /**
   * Why it is trusted: it was `given`; it is `proven` by its private half, which the master key opens; or it is only
   * `claimed` beside the checkpoints.
   */
  readonly trust: "given" | "proven" | "claimed";
}

export interface ChainBreak {
  readonly ownerId: string;
  readonly sequence: number;
  /** Null when the event is gone. */
  readonly eventId: string | null;
  readonly kind: string;
  readonly reason: string;
}

/** The result of verifying the event chains. */
export interface ChainReport {
  readonly owners: number;
  readonly events: number;
  /** How many checkpoints of the store were compared. */
  readonly checkpoints: number;
  /** How many of the given file were compared. */
  readonly kept: number;
  readonly keys: readonly TrustedKey[];
  /** Null when every chain is whole. */
  readonly firstFault: ChainBreak | null;
}

/** Where the first break is, and what was found there. */
export function describeBreak({ ownerId, sequence, eventId, kind, reason }: ChainBreak): string {
  return `event ${sequence} of ${ownerId}${eventId === null ? "" : ` (${eventId})`}: ${kind}; ${reason}`;
}

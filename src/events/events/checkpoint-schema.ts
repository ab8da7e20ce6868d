// The schema of a checkpoint, in responses and in the files in which auditors keep checkpoints.
import type { Static } from "typebox";
import { MAX_TIME_MS } from "../../platform/kernel/scheduling/clock.ts";
import { OneOf, Pattern } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";

export const EventCheckpoint = Type.Object(
  {
    ownerId: Type.String({ maxLength: 128, description: "The team or user that the chain belongs to." }),
    sequence: Type.Integer({ minimum: 1, description: "Sequence of the event that the checkpoint signs." }),
    hash: Pattern("^[0-9a-f]{64}$", "64 digits of lower-case hex", { description: "The `hash` of that event." }),
    eventAt: Type.Integer({ minimum: 0, maximum: MAX_TIME_MS, description: "`createdAt` of that event." }),
    createdAt: Type.Integer({ minimum: 0, maximum: MAX_TIME_MS, description: "ms since the epoch." }),
    reason: OneOf(["daily", "demand", "prune"], {
      description: "`prune`: this event and those before it were removed, and the chain continues from here.",
    }),
    keyId: Pattern("^ed25519_[0-9a-f]{32}$", "`ed25519_` and 32 digits of lower-case hex", {
      description: "`ed25519_` and the beginning of SHA-256 over the public key in DER.",
    }),
    publicKey: Pattern("^[A-Za-z0-9+/]{59}=$", "44 bytes as base64", { description: "SPKI in DER, as base64." }),
    signature: Pattern("^[A-Za-z0-9+/]{86}==$", "64 bytes as base64", {
      description: "Ed25519 over the text that /docs/proof describes, as base64.",
    }),
  },
  { title: "EventCheckpoint" },
);
export type EventCheckpoint = Static<typeof EventCheckpoint>;

/** A checkpoint as it is stored: with the id of its public key instead of the key. */
export type Checkpoint = Omit<EventCheckpoint, "publicKey">;

/** Why a checkpoint is not trusted. `unproven`: nobody can tell here whether it is genuine, and it would excuse missing events. */
export interface Distrust {
  readonly kind: "forged" | "unproven";
  readonly reason: string;
}

/** Says why a checkpoint is not trusted; null when it is genuine. */
export type Trust = (checkpoint: Checkpoint) => Distrust | null;

// The text of a checkpoint that is signed. docs/proof.md shows how to verify it by hand; the console does in the browser.
import type { EventCheckpoint } from "../events/checkpoint-schema.ts";

/** The members of a checkpoint that are signed. */
export type Statement = Omit<EventCheckpoint, "publicKey" | "signature">;

/** The signed text. No value contains a line break, so the text is unambiguous. */
export function statementText(statement: Statement): string {
  const { ownerId, sequence, hash, eventAt, createdAt, reason, keyId } = statement;
  return [
    "reeve event checkpoint v1",
    `owner ${ownerId}`,
    `sequence ${sequence}`,
    `hash ${hash}`,
    `event-at ${eventAt}`,
    `created-at ${createdAt}`,
    `reason ${reason}`,
    `key ${keyId}`,
    "",
  ].join("\n");
}

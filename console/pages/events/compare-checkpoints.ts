// Compares checkpoints that somebody kept with the chain as the server has it now. docs/proof.md specifies both.
import { statementText } from "../../../src/events/checkpoints/statement.ts";
import { verifyChain } from "../../api/verify-chain.ts";
import type { Output } from "../../api/endpoints.ts";

export type Checkpoint = Output<"GET /v1/events/checkpoints">["checkpoints"][number];

export type Finding = "same" | "other" | "absent" | "forged" | "foreign";

export interface Compared {
  readonly checkpoint: Checkpoint;
  readonly finding: Finding;
}

export interface Comparison {
  readonly compared: readonly Compared[];
  /** The first event that is not what was recorded; null: the chain is whole. */
  readonly brokenAt: number | null;
}

function isCheckpoint(value: unknown): value is Checkpoint {
  const { sequence, hash, signature } = (value ?? {}) as Partial<Checkpoint>;
  return typeof sequence === "number" && typeof hash === "string" && typeof signature === "string";
}

/** Those in a text: one, a list, a response of the API, or one to a line. */
function listIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { checkpoint, checkpoints } = (value ?? {}) as {
    readonly checkpoint?: unknown;
    readonly checkpoints?: unknown;
  };
  if (Array.isArray(checkpoints)) return checkpoints;
  return [checkpoint ?? value];
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Null where something in the text is no checkpoint. */
export function readCheckpoints(text: string): readonly Checkpoint[] | null {
  const whole = parse(text);
  const values =
    whole === undefined
      ? text
          .split("\n")
          .filter((line) => line.trim() !== "")
          .map(parse)
      : [whole];
  const found = values.flatMap(listIn);
  return found.length > 0 && found.every(isCheckpoint) ? found : null;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

async function isSigned({ publicKey, signature, ...statement }: Checkpoint): Promise<boolean> {
  try {
    const key = await crypto.subtle.importKey("spki", bytesOf(publicKey), "Ed25519", false, ["verify"]);
    const text = new TextEncoder().encode(statementText(statement));
    return await crypto.subtle.verify("Ed25519", key, bytesOf(signature), text);
  } catch {
    // No base64, or no key of this kind.
    return false;
  }
}

export async function compareCheckpoints(
  checkpoints: readonly Checkpoint[],
  teamId: string,
  signal: AbortSignal,
  onProgress: (events: number) => void,
): Promise<Comparison> {
  const wanted = new Set(checkpoints.map(({ sequence }) => sequence));
  const { hashes, brokenAt } = await verifyChain(teamId, signal, onProgress, wanted);
  const findingOf = async (checkpoint: Checkpoint): Promise<Finding> => {
    if (checkpoint.ownerId !== teamId) return "foreign";
    if (!(await isSigned(checkpoint))) return "forged";
    const hash = hashes.get(checkpoint.sequence);
    return hash === undefined ? "absent" : hash === checkpoint.hash ? "same" : "other";
  };
  const compared = await Promise.all(
    checkpoints.map(async (checkpoint) => ({ checkpoint, finding: await findingOf(checkpoint) })),
  );
  return { compared, brokenAt };
}

// Reads the files of auditors: checkpoints, and the public keys that they trust.
import type { KeyObject } from "node:crypto";
import { Failure } from "../../platform/outcomes/failure.ts";
import { textOf } from "./input.ts";
import { compileCheck } from "../../platform/operations/validation.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { EventCheckpoint } from "../../events/events/checkpoint-schema.ts";
import { isSignedBy, keyIdOf, readPublicKey } from "../../events/checkpoints/signature.ts";
import { withFile } from "../../serve/backup/atomic-file.ts";

/** About a hundred thousand checkpoints. The newest of each chain is enough. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_KEY_BYTES = 4_096;

const check = compileCheck("checkpoint", EventCheckpoint, "bad_request");

async function readText(file: string): Promise<string> {
  return await withFile(file, async ({ chunks }) => {
    const read: Buffer[] = [];
    let length = 0;
    for await (const chunk of chunks()) {
      read.push(chunk);
      length += chunk.length;
      if (length > MAX_FILE_BYTES) {
        throw new Failure(
          "refused",
          `${file}: expected at most ${MAX_FILE_BYTES} bytes of checkpoints`,
          "file_too_large",
        );
      }
    }
    return textOf(file, Buffer.concat(read));
  });
}

function parseLines(file: string, text: string): readonly unknown[] {
  return text.split("\n").flatMap((line, at): unknown[] => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Failure("refused", `${file}, line ${at + 1}: expected JSON`, "bad_checkpoint");
    }
  });
}

/** The values of a file: one JSON value, or one per line. */
function parseValues(file: string, text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return parseLines(file, text);
  }
}

/** Accepts a checkpoint, a list of them, or a response of the API with either. */
function unwrap(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { checkpoint, checkpoints } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (Array.isArray(checkpoints)) return checkpoints;
  return [checkpoint ?? value];
}

function requireGenuine(file: string, value: unknown, number: number): EventCheckpoint {
  const refuse = (message: string) => new Failure("refused", `${file}, number ${number}: ${message}`, "bad_checkpoint");
  try {
    check(value);
  } catch (error) {
    throw error instanceof ApiError ? refuse(error.message) : error;
  }
  const checkpoint = value as EventCheckpoint;
  const key = readPublicKey(checkpoint.publicKey);
  if (!key || keyIdOf(key) !== checkpoint.keyId) throw refuse("its keyId is not that of its publicKey");
  if (!isSignedBy(key, checkpoint)) throw refuse("it does not fit its signature, so it shows nothing");
  return checkpoint;
}

/** The checkpoints of a file. Throws a Failure for one that is not signed by the key that it names. */
export async function readKeptCheckpoints(file: string): Promise<readonly EventCheckpoint[]> {
  const values = parseValues(file, await readText(file)).flatMap(unwrap);
  if (values.length === 0) throw new Failure("refused", `${file}: there are no checkpoints in it`, "bad_checkpoint");
  return values.map((value, at) => requireGenuine(file, value, at + 1));
}

/** The public keys of flags, given as text or as files. */
export async function readTrustedKeys(given: readonly string[]): Promise<readonly KeyObject[]> {
  const keys: KeyObject[] = [];
  for (const text of given) {
    const key =
      readPublicKey(text) ??
      readPublicKey(textOf(`--public-key: ${text}`, await withFile(text, ({ head }) => head(MAX_KEY_BYTES))));
    if (!key) {
      throw new Failure(
        "refused",
        `--public-key: there is no Ed25519 key in ${text} (PEM, or base64)`,
        "bad_public_key",
      );
    }
    keys.push(key);
  }
  return keys;
}

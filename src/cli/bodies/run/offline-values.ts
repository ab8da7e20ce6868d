// Values for a start without the server: one file for each environment, sealed with a key that comes from the credential. Who has the
// file alone has nothing; who has the credential could read the values from the server.
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { chmod, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeAtomically } from "../../../serve/backup/atomic-file.ts";
import type { EnvironmentPlace } from "../remote/place-names.ts";
import { fileReason } from "../../../platform/kernel/text/file-reason.ts";
import type { Values } from "./values.ts";

const FORMAT = 1;
const CIPHER = "aes-256-gcm";
const KEY_BYTES = 32;
const SALT_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Whose values, and with which credential they are read. */
export interface OfflineKey {
  readonly folder: string;
  readonly server: string;
  readonly token: string;
  readonly place: EnvironmentPlace;
}

export interface StoredValues extends Values {
  /** ms */
  readonly readAt: number;
}

/** What a file is bound to: moved to another name, it does not open. */
function bindingOf({ server, place: { team, project, environment, names } }: OfflineKey): string {
  return JSON.stringify(["reeve values", FORMAT, server, team, project, environment, names]);
}

function fileOf(key: OfflineKey): string {
  return join(key.folder, hash("sha256", bindingOf(key)));
}

function keyOf({ token }: OfflineKey, salt: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", token, salt, "reeve values", KEY_BYTES));
}

export async function storeValues(key: OfflineKey, { values, etag }: Values, now: number): Promise<void> {
  const made = await mkdir(key.folder, { recursive: true, mode: 0o700 });
  // A umask may have taken more away than the owner can do without.
  if (made !== undefined) await chmod(key.folder, 0o700);
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv(CIPHER, keyOf(key, salt), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(bindingOf(key)));
  const text = JSON.stringify({ values, etag, readAt: now } satisfies StoredValues);
  const sealed = Buffer.concat([salt, nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  await writeAtomically(fileOf(key), true, (handle) => handle.writeFile(sealed));
}

/** Null: there is none. */
async function readSealed(file: string): Promise<Buffer | null> {
  try {
    // To open a pipe without this waits for who writes to it.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await handle.stat()).isFile()) throw new Error("it is no regular file");
    return await handle.readFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function unseal(key: OfflineKey, sealed: Buffer): StoredValues {
  const text = sealed.subarray(SALT_BYTES + NONCE_BYTES, -TAG_BYTES);
  const nonce = sealed.subarray(SALT_BYTES, SALT_BYTES + NONCE_BYTES);
  const decipher = createDecipheriv(CIPHER, keyOf(key, sealed.subarray(0, SALT_BYTES)), nonce, {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(bindingOf(key)));
  decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
  return JSON.parse(Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8")) as StoredValues;
}

/** The stored values, or why there are none to use. */
export async function findStoredValues(key: OfflineKey): Promise<StoredValues | string> {
  const file = fileOf(key);
  const unreadable = `the values that are stored here in ${file} can't be read`;
  let sealed: Buffer | null;
  try {
    sealed = await readSealed(file);
  } catch (error) {
    return `${unreadable}: ${fileReason(error)}`;
  }
  if (sealed === null) return "no start has stored the values here";
  try {
    return unseal(key, sealed);
  } catch {
    return `${unreadable}: another credential stored them, or the file is damaged`;
  }
}

export async function removeStoredValues(key: OfflineKey): Promise<void> {
  await rm(fileOf(key), { force: true });
}

// Encryption of archives in the age format (https://age-encryption.org/v1), which the program `age` can decrypt.
import { Decrypter, Encrypter } from "age-encryption";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { SecretsExport, SecretsImport } from "./secret-archive.ts";

const FIRST_LINE = Buffer.from("age-encryption.org/v1\n");

/** Refuses invalid recipients without quoting them: a mispasted one may be an identity. */
export function createEncrypter(lock: SecretsExport["lock"]): Encrypter {
  const encrypter = new Encrypter();
  if ("passphrase" in lock) {
    encrypter.setPassphrase(lock.passphrase);
    return encrypter;
  }
  for (const [at, recipient] of lock.recipients.entries()) {
    try {
      encrypter.addRecipient(recipient);
    } catch {
      throw new Failure("refused", `--recipient: number ${at + 1} is no recipient of age (age1...)`, "bad_recipient");
    }
  }
  return encrypter;
}

/** Encrypts a stream. A chunk is consumed when the next one is requested. */
export async function encrypt(encrypter: Encrypter, chunks: AsyncIterable<Buffer>): Promise<AsyncIterable<Uint8Array>> {
  return await encrypter.encrypt(ReadableStream.from(chunks));
}

function createDecrypter(key: SecretsImport["key"]): Decrypter {
  const decrypter = new Decrypter();
  if ("passphrase" in key) {
    decrypter.addPassphrase(key.passphrase);
    return decrypter;
  }
  for (const [at, identity] of key.identities.entries()) {
    try {
      decrypter.addIdentity(identity);
    } catch {
      throw new Failure(
        "refused",
        `--identity-file: number ${at + 1} of its identities is none of age (AGE-SECRET-KEY-1...)`,
        "bad_identity",
      );
    }
  }
  return decrypter;
}

/** Decrypts the content key; `head` has to contain the whole header. */
export async function openFileKey(head: Buffer, key: SecretsImport["key"], file: string): Promise<Uint8Array> {
  if (!head.subarray(0, FIRST_LINE.length).equals(FIRST_LINE)) {
    throw new Failure("refused", `${file} is no file that age encrypted`, "archive_format");
  }
  const decrypter = createDecrypter(key);
  try {
    return await decrypter.decryptHeader(head);
  } catch {
    const what = "passphrase" in key ? "the passphrase does not open" : "no identity opens";
    throw new Failure("refused", `${what} ${file}, or the beginning of the file is damaged`, "archive_locked");
  }
}

/** Decrypts the content of a file as a stream. */
export async function* decrypt(fileKey: Uint8Array, chunks: AsyncIterable<Buffer>, file: string) {
  const decrypter = new Decrypter();
  // Deriving the key from a passphrase takes a second by design, and is done once.
  decrypter.addIdentity({ unwrapFileKey: () => fileKey });
  try {
    yield* await decrypter.decrypt(ReadableStream.from(chunks));
  } catch (error) {
    // A failure to read the file describes itself.
    if ((error as NodeJS.ErrnoException).syscall !== undefined) throw error;
    throw new Failure("refused", `${file} is damaged: it was cut off or changed`, "archive_damaged");
  }
}

// An archive of secrets: a container (`container.ts`) with one secret per line, oldest first.
import { Failure } from "../../platform/outcomes/failure.ts";
import { parseJson } from "../../platform/kernel/text/json-body.ts";
import { compileCheck } from "../../platform/operations/validation.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { requireSound } from "../../secrets/secrets/archive/archive-rules.ts";
import {
  ARCHIVE_FORMAT,
  ARCHIVE_VERSION,
  ArchiveHeader,
  ArchivedSecret,
} from "../../secrets/secrets/archive/archive-schema.ts";
import { openContainer, writeContainer } from "./container.ts";
import type { Content, Format, Read } from "./container.ts";
import type { OwnerReference } from "../command-owner.ts";

export interface SecretsExport {
  readonly owner: OwnerReference;
  readonly file: string;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** The key of the file: a passphrase, or the identity of a recipient. */
  readonly lock: { readonly passphrase: string } | { readonly recipients: readonly string[] };
}

export interface SecretsImport {
  readonly owner: OwnerReference;
  readonly file: string;
  readonly key: { readonly passphrase: string } | { readonly identities: readonly string[] };
  /** What to do when a name of a secret is taken: refuse the whole file, or leave that secret out. */
  readonly onConflict: "fail" | "skip";
}

export interface SecretsImported {
  readonly imported: number;
  /** Names of the secrets that were left out. */
  readonly skipped: readonly string[];
}

/** A hundred versions of 64 KiB as base64 take 9 MB; the rest is for names, about a hundred thousand. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;
const MAX_LINE_VALUES = 1_000_000;

const FORMAT: Format = {
  name: ARCHIVE_FORMAT,
  version: ARCHIVE_VERSION,
  countName: "count",
  // age authenticates every byte.
  isHashed: false,
  maxLineBytes: MAX_LINE_BYTES,
  otherFormat: "holds no secrets that Reeve exported",
  parse: (line) => parseJson(line, "secret", MAX_LINE_VALUES),
  refuseLine: (_file, line, { code, message, details }) => new ApiError(code, `line ${line}: ${message}`, details),
};

const checkHeader = compileCheck("header", ArchiveHeader, "bad_request");
const checkSecret = compileCheck("secret", ArchivedSecret, "bad_request");

export type ReadSecret = Read<ArchivedSecret>;

async function* encodeSecrets(secrets: AsyncIterable<ArchivedSecret>): AsyncGenerator<Content> {
  for await (const secret of secrets) {
    const bytes = Buffer.from(`${JSON.stringify(secret)}\n`);
    if (bytes.length > MAX_LINE_BYTES) {
      throw new Failure("refused", `the secret ${secret.name} has too long a history of names`, "secret_too_large");
    }
    yield { bytes, records: 1 };
    bytes.fill(0);
  }
}

/** The bytes of an archive; each chunk is wiped when the next one is requested. */
export function writeSecrets(
  header: Omit<ArchiveHeader, "format" | "formatVersion">,
  secrets: AsyncIterable<ArchivedSecret>,
  onWritten: (count: number) => void,
): AsyncGenerator<Buffer> {
  return writeContainer(FORMAT, header, encodeSecrets(secrets), onWritten);
}

/** Opens an archive; each secret is validated as it is read. */
export async function openSecrets(chunks: AsyncIterable<Uint8Array>): Promise<AsyncGenerator<ReadSecret>> {
  return await openContainer(FORMAT, chunks, "the file", (header) => {
    checkHeader(header);
    return {
      decode(value) {
        checkSecret(value);
        requireSound(value as ArchivedSecret);
        return value as ArchivedSecret;
      },
      requireWhole: () => undefined,
    };
  });
}

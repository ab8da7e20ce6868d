// `reeve secrets import`: imports the secrets of an encrypted file into a team or account. The file is read twice: first to
// the end, to refuse it as a whole for any error, then to write it in bounded batches, one per transaction.
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { SecretsImport, SecretsImported, ReadSecret } from "./secret-archive.ts";
import type { Settings } from "../config/config.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import type { Keyring } from "../../platform/kernel/keyring.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { addArchived, findTakenName } from "../../secrets/secrets/archive/archive-import.ts";
import { reservedNames } from "../../secrets/secrets/archive/archive-rules.ts";
import type { ArchivedSecret } from "../../secrets/secrets/archive/archive-schema.ts";
import { nameKey } from "../../secrets/secrets/rules.ts";
import type { Database } from "../../platform/store/database.ts";
import { withExistingDatabase } from "../open-database.ts";
import { commandOrigin } from "../command-caller.ts";
import { requireKeyring } from "../master-keys/start-keyring.ts";
import { decrypt, openFileKey } from "./secret-archive-cipher.ts";
import { withFile } from "./atomic-file.ts";
import type { ReadableFile } from "./atomic-file.ts";
import { openSecrets } from "./secret-archive.ts";
import { byId, findCommandOwner } from "../command-owner.ts";
import type { CommandOwner } from "../command-owner.ts";

/** Enough for a header with hundreds of recipients. */
const MAX_HEADER_BYTES = 1024 * 1024;
const BATCH_SECRETS = 50;
const BATCH_BYTES = 4 * 1024 * 1024;
const NAMES_SHOWN = 10;

/** Reads the secrets of the file, from the first on each call. */
type Read = () => Promise<AsyncGenerator<ReadSecret>>;

async function openArchive(readable: ReadableFile, { file, key }: SecretsImport): Promise<Read> {
  const fileKey = await openFileKey(await readable.head(MAX_HEADER_BYTES), key, file);
  return () => openSecrets(decrypt(fileKey, readable.chunks(), file));
}

/** Refuses two secrets of the file with the same name; `lines` maps the names so far to their lines. */
function requireUnique({ record: secret, line }: ReadSecret, lines: Map<string, number>): void {
  for (const { name } of reservedNames(secret)) {
    const other = lines.get(nameKey(name));
    if (other !== undefined) {
      throw new ApiError("bad_request", `line ${line}: secret.names: the name ${name} is on line ${other} too`);
    }
    lines.set(nameKey(name), line);
  }
}

function describeTaken(taken: readonly string[], count: number): string {
  const more = taken.length > NAMES_SHOWN ? ` and ${taken.length - NAMES_SHOWN} more` : "";
  return (
    `${taken.length} of the ${count} secrets have names that are taken: ${taken.slice(0, NAMES_SHOWN).join(", ")}${more}; ` +
    "nothing was imported; --on-conflict skip imports the others"
  );
}

/** Validates the whole file and returns the number of its secrets; throws for anything that would prevent the import. */
async function verify(read: Read, tx: Tx, ownerId: string, onConflict: SecretsImport["onConflict"]): Promise<number> {
  const lines = new Map<string, number>();
  const taken: string[] = [];
  let count = 0;
  for await (const found of await read()) {
    count++;
    requireUnique(found, lines);
    const name = onConflict === "fail" ? await findTakenName(tx, ownerId, found.record) : undefined;
    if (name !== undefined) taken.push(name);
  }
  if (taken.length > 0) throw new ApiError("secret_name_taken", describeTaken(taken, count), { names: taken });
  return count;
}

async function* inBatches(secrets: AsyncIterable<ReadSecret>): AsyncGenerator<readonly ArchivedSecret[]> {
  let batch: ArchivedSecret[] = [];
  let bytes = 0;
  for await (const { record: secret, size } of secrets) {
    if (batch.length === BATCH_SECRETS || (batch.length > 0 && bytes + size > BATCH_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(secret);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

interface Target {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly owner: CommandOwner;
  readonly clock: Clock;
}

/** Writes a batch in one transaction; returns the names of the secrets that it skipped because they were taken. */
async function writeBatch(
  { database, keyring, owner, clock }: Target,
  batch: readonly ArchivedSecret[],
  isLenient: boolean,
) {
  return await database.transaction(async (tx) => {
    await tx.lockOwner(owner.scope.ownerId);
    // The team or account may have been deleted meanwhile.
    const { caller, scope } = await findCommandOwner(tx, byId(owner));
    const call = { caller, scope, origin: commandOrigin(), now: clock(), keyring };
    const skipped: string[] = [];
    for (const secret of batch) {
      const taken = await findTakenName(tx, scope.ownerId, secret);
      if (taken === undefined) await addArchived(tx, call, secret);
      else if (isLenient) skipped.push(secret.name);
      else throw new ApiError("secret_name_taken", `the name ${taken} was taken while the import ran`, { name: taken });
    }
    return skipped;
  });
}

async function write(
  target: Target,
  read: Read,
  {
    count,
    isLenient,
    onProgress,
  }: { readonly count: number; readonly isLenient: boolean; readonly onProgress: ShowProgress },
): Promise<SecretsImported> {
  const skipped: string[] = [];
  let imported = 0;
  for await (const batch of inBatches(await read())) {
    try {
      const left = await writeBatch(target, batch, isLenient);
      imported += batch.length - left.length;
      skipped.push(...left);
      onProgress(imported + skipped.length, count);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const progress = `${imported} of ${count} secrets are imported; --on-conflict skip goes on with the others`;
      throw new ApiError(error.code, `${error.message}; ${progress}`, { ...error.details, imported });
    }
  }
  return { imported, skipped };
}

export async function importSecrets(
  settings: Settings,
  request: SecretsImport,
  onProgress: ShowProgress,
  clock: Clock,
): Promise<SecretsImported> {
  return await withExistingDatabase(settings, async (database) => {
    const keyring = await requireKeyring(settings, database.reader);
    const owner = await findCommandOwner(database.reader, request.owner);
    const target = { database, keyring, owner, clock };
    return await withFile(request.file, async (readable) => {
      const read = await openArchive(readable, request);
      const count = await verify(read, database.reader, owner.scope.ownerId, request.onConflict);
      return await write(target, read, { count, isLenient: request.onConflict === "skip", onProgress });
    });
  });
}

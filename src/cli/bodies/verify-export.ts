// `reeve events verify --export`: verifies the chain in a file, line by line and without a database. The file is a response of
// `GET /v3/events/export?form=chain`.
import { readKeptCheckpoints, readTrustedKeys } from "./checkpoint-files.ts";
import { splitLines } from "../../serve/backup/text-lines.ts";
import { withFile } from "../../serve/backup/atomic-file.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import type { ChainBreak, TrustedKey, Verification } from "../../platform/outcomes/chain-report.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { decodeText } from "../../platform/kernel/text/decode-text.ts";
import { readPublicKey } from "../../events/checkpoints/signature.ts";
import { describeKey, trustKeys } from "../../events/checkpoints/trust.ts";
import { readChainLine } from "../../events/events/export/lines.ts";
import { streamRows } from "../../platform/kernel/row-stream.ts";
import { verifyExport } from "../../events/events/verify/verify-export.ts";
import type { ChainedEvent } from "../../events/events/verify/verify-store.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

/** The result of verifying the chain of a file. */
export interface ExportReport {
  readonly ownerId: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /** What proves the content of the first line; null: nothing. */
  readonly beginning: "first event" | "checkpoint" | null;
  /** The last event that a checkpoint proves; null when there is none. */
  readonly provenTo: number | null;
  /** The event of the newest checkpoint, if it comes after the last line. */
  readonly newestBehind: number | null;
  readonly keys: readonly TrustedKey[];
  readonly firstFault: ChainBreak | null;
}

/** Far above what the limits of an event allow. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

function refuse(message: string): Failure {
  return new Failure("refused", message, "export_damaged");
}

function readLine(bytes: Buffer, place: string): ChainedEvent {
  let value: unknown;
  try {
    value = JSON.parse(decodeText(bytes));
  } catch {
    throw refuse(`${place}: expected a line of JSON; the file is damaged, or was cut off there`);
  }
  const event = readChainLine(value);
  if (!event) {
    throw refuse(`${place}: expected columns and hash of an event, as GET /v3/events/export?form=chain returns them`);
  }
  return event;
}

/** The events of a file. All must belong to one owner: two chains prove nothing about each other. */
async function* readEvents(chunks: AsyncIterable<Uint8Array>, file: string): AsyncGenerator<ChainedEvent> {
  let line = 0;
  let ownerId: string | undefined;
  const place = () => `${file}, line ${line}`;
  try {
    for await (const bytes of splitLines(chunks, MAX_LINE_BYTES)) {
      line++;
      if (bytes.every((byte) => byte === 0x20 || byte === 0x0d)) continue;
      const event = readLine(bytes, place());
      ownerId ??= event.ownerId;
      if (event.ownerId !== ownerId) {
        throw refuse(
          `${place()}: expected an event of ${ownerId}, got one of ${event.ownerId}: verify them one by one`,
        );
      }
      yield event;
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    line++;
    throw refuse(`${place()}: ${error.message}`);
  }
  if (ownerId === undefined) throw refuse(`${file}: there are no events in it`);
}

/** Gives `use` the bytes of a file, or of the standard input. */
async function withChunks<T>(
  file: string,
  onProgress: ShowProgress,
  use: (chunks: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  if (file === "-") return await use(currentProcess().stdin);
  return await withFile(file, ({ chunks }) => use(chunks(onProgress)));
}

export async function verifyExportedEvents(
  file: string,
  { publicKeys, checkpoints }: Verification,
  onProgress: ShowProgress,
): Promise<ExportReport> {
  const given = await readTrustedKeys(publicKeys);
  const kept = checkpoints === null ? [] : await readKeptCheckpoints(checkpoints);
  const claimed = new Map(kept.map(({ keyId, publicKey }) => [keyId, readPublicKey(publicKey)]));
  const isGiven = given.length > 0;
  const trusted = isGiven ? given : [...claimed.values()].filter((key) => key !== undefined);
  const trust = trustKeys(trusted, "not the key given with --public-key");
  const keys = trusted.map((key): TrustedKey => ({ ...describeKey(key), trust: isGiven ? "given" : "claimed" }));
  return await withChunks(file, onProgress, async (chunks) => {
    const events = readEvents(chunks, file === "-" ? "standard input" : file);
    const rows = streamRows<ChainedEvent>(async () => {
      const next = await events.next();
      return next.done ? [] : [next.value];
    });
    return { ...(await verifyExport(rows, { trust, kept })), keys };
  });
}

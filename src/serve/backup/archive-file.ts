// Recognises backup files: an archive or a database, compressed or not. On writing, the file's name selects the compression;
// on reading, its first bytes do.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream";
import type { Duplex } from "node:stream";
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import { withFile } from "./atomic-file.ts";
import type { ReadableFile } from "./atomic-file.ts";

interface Compression {
  readonly ending: string;
  /** The first bytes of such a file. */
  readonly magic: Buffer;
  compress(): Duplex;
  decompress(): Duplex;
}

const COMPRESSIONS: readonly Compression[] = [
  { ending: ".gz", magic: Buffer.from([0x1f, 0x8b]), compress: () => createGzip(), decompress: () => createGunzip() },
  {
    ending: ".zst",
    magic: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]),
    compress: () => createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } }),
    decompress: () => createZstdDecompress(),
  },
];
const SQLITE_MAGIC = Buffer.from("SQLite format 3\0");

function through(chunks: AsyncIterable<Uint8Array>, stream: Duplex): AsyncIterable<Buffer> {
  // The reader sees failures: they destroy the stream.
  return pipeline(chunks, stream, () => undefined);
}

export function isCompressed(file: string): boolean {
  return COMPRESSIONS.some(({ ending }) => file.endsWith(ending));
}

/** Writes the content of `file`, compressed according to its name. */
export async function writeContent(handle: FileHandle, file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const compression = COMPRESSIONS.find(({ ending }) => file.endsWith(ending));
  await handle.writeFile(compression ? through(chunks, compression.compress()) : chunks);
}

/** The decompressed content of a file. */
export async function* readContent(
  { head, chunks }: ReadableFile,
  file: string,
  onProgress?: ShowProgress,
): AsyncGenerator<Buffer> {
  const beginning = await head(SQLITE_MAGIC.length);
  const compression = COMPRESSIONS.find(({ magic }) => beginning.subarray(0, magic.length).equals(magic));
  if (!compression) {
    yield* chunks(onProgress);
    return;
  }
  try {
    yield* through(chunks(onProgress), compression.decompress());
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!code.startsWith("Z_") && !code.startsWith("ZSTD_")) throw error;
    throw new Failure("refused", `${file} is damaged: it was cut off or changed`, "archive_damaged");
  }
}

/** Whether a file is an uncompressed SQLite database. */
export async function hasPlainDatabase({ head }: ReadableFile): Promise<boolean> {
  return (await head(SQLITE_MAGIC.length)).equals(SQLITE_MAGIC);
}

/** Whether a file holds a SQLite database, compressed or not. Anything else may be an archive. */
export async function holdsDatabase(file: string): Promise<boolean> {
  return await withFile(file, async (readable) => {
    let beginning = Buffer.alloc(0);
    for await (const chunk of readContent(readable, file)) {
      beginning = Buffer.concat([beginning, chunk]);
      if (beginning.length >= SQLITE_MAGIC.length) break;
    }
    return beginning.subarray(0, SQLITE_MAGIC.length).equals(SQLITE_MAGIC);
  });
}

/** SHA-256 of a file, as `sha256sum` prints it, and its size in bytes. */
export async function measureFile(file: string): Promise<{ readonly sha256: string; readonly bytes: number }> {
  const hash = createHash("sha256");
  let bytes = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { sha256: hash.digest("hex"), bytes };
}

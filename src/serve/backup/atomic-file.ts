// Files that commands write and read. A file appears complete or not at all; it can be read from the beginning several
// times.
import { open, rename, rm, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { Failure } from "../../platform/outcomes/failure.ts";
import type { ShowProgress } from "../../platform/outcomes/progress.ts";
import { FILE_REASONS } from "../../platform/kernel/text/file-reason.ts";
import { nameUnfinished } from "../../platform/store/sqlite/temporary-files.ts";

/** Errors that only writing can cause. */
const OF_WRITING = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
/** SQLite's messages for them. */
const SQLITE_CODES: Readonly<Record<number, string>> = { 13: "ENOSPC", 778: "EIO" };

/** Describes a failure of the file; other errors, such as those of the store, are passed on unchanged. */
export function explainFile(error: unknown, doing: "read" | "write", file: string): unknown {
  const { code = "", errcode } = error as NodeJS.ErrnoException & { readonly errcode?: number };
  // A reader may also be writing another file, and that write may be what failed.
  if (doing === "read" && (errcode !== undefined || OF_WRITING.has(code))) return error;
  // A copy of a database is written by SQLite.
  const reason = FILE_REASONS[errcode === undefined ? code : (SQLITE_CODES[errcode] ?? "")];
  return reason === undefined ? error : new Failure("refused", `cannot ${doing} ${file}: ${reason}`, "file_unusable");
}

/** Refuses a path that must not be replaced: replacing a device would remove it from the whole machine. */
async function requireReplaceable(file: string, mayReplace: boolean): Promise<void> {
  const present = await stat(file).catch(() => undefined);
  if (!present) return;
  if (!present.isFile()) throw new Failure("refused", `cannot write ${file}: it is no regular file`, "file_unusable");
  if (!mayReplace) throw new Failure("conflict", `${file} exists already; --force replaces it`, "file_exists");
}

/**
 * Passes `write` a new temporary file that only its owner can read, and its path, and renames it to `file` on success.
 * Refuses an existing `file` unless it may be replaced.
 */
export async function writeAtomically<T>(
  file: string,
  mayReplace: boolean,
  write: (handle: FileHandle, unfinished: string) => Promise<T>,
): Promise<T> {
  await requireReplaceable(file, mayReplace);
  let unfinished: string | undefined;
  try {
    unfinished = await nameUnfinished(file);
    const handle = await open(unfinished, "wx", 0o600);
    let written: T;
    try {
      written = await write(handle, unfinished);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    await using folder = await open(dirname(file), "r");
    await folder.sync();
    return written;
  } catch (error) {
    if (unfinished !== undefined) await rm(unfinished, { force: true });
    throw explainFile(error, "write", file);
  }
}

export interface ReadableFile {
  /** At most `length` bytes from the beginning. */
  head(length: number): Promise<Buffer>;
  /** The whole file, from the beginning; `onProgress` receives the number of bytes read. */
  chunks(onProgress?: ShowProgress): AsyncIterable<Buffer>;
}

async function* counted(chunks: AsyncIterable<Buffer>, total: number, onProgress: ShowProgress) {
  let done = 0;
  for await (const chunk of chunks) {
    done += chunk.length;
    // A pipe has no size, and another process may be writing to the file.
    if (total > 0) onProgress(Math.min(done, total), total);
    yield chunk;
  }
}

/** Opens a file for `read`, which may read it several times: it stays the same file, even if the path is replaced. */
export async function withFile<T>(file: string, read: (readable: ReadableFile) => Promise<T>): Promise<T> {
  try {
    await using handle = await open(file, "r");
    const { size } = await handle.stat();
    return await read({
      async head(length) {
        const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: 0 });
        return buffer.subarray(0, bytesRead);
      },
      chunks: (onProgress = () => undefined) =>
        counted(handle.createReadStream({ start: 0, autoClose: false }), size, onProgress),
    });
  } catch (error) {
    throw explainFile(error, "read", file);
  }
}

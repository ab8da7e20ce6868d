// Follows a log that another program writes: from its end on, through rotation and truncation. At most a chunk is in memory, and a line
// of bounded length: of a longer one there is its beginning.
import { open, stat } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";

const POLL_MS = 500;
const CHUNK_BYTES = 65_536;
/** Longer lines are cut: a body of 100 kB can make a line of 1 MB, which has whatever a rule found. */
const MAX_LINE_LENGTH = 1_048_576;

export interface FollowedLog {
  /** Reads what is there, and no more. */
  stop(): Promise<void>;
}

interface OpenLog {
  readonly handle: FileHandle;
  readonly inode: number;
  offset: number;
  rest: string;
  /** Within the rest of a line that was cut. */
  isSkipping: boolean;
  decoder: StringDecoder;
}

export interface FollowOptions {
  readonly path: string;
  readonly onLine: (line: string) => void;
  /** Told whether the log can be read, at first and whenever that changes; null: it can. */
  readonly onProblem: (reason: string | null) => void;
  /** Begin at the end of what is there at the start. */
  readonly fromEnd: boolean;
}

function takeLines(log: OpenLog, text: string, onLine: (line: string) => void): void {
  const lines = (log.rest + text).split("\n");
  log.rest = lines.pop() as string;
  for (const line of lines) {
    if (!log.isSkipping && line !== "") onLine(line.slice(0, MAX_LINE_LENGTH));
    log.isSkipping = false;
  }
  if (log.rest.length > MAX_LINE_LENGTH) {
    if (!log.isSkipping) onLine(log.rest.slice(0, MAX_LINE_LENGTH));
    log.rest = "";
    log.isSkipping = true;
  }
}

export function followLog({ path, onLine, onProblem, fromEnd }: FollowOptions): FollowedLog {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  let log: OpenLog | null = null;
  let isFirst = true;
  let problem: string | null | undefined;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function readToEnd(of: OpenLog): Promise<void> {
    const { size } = await of.handle.stat();
    if (size < of.offset) Object.assign(of, { offset: 0, rest: "", isSkipping: false, decoder: new StringDecoder() });
    for (;;) {
      const { bytesRead } = await of.handle.read(buffer, 0, CHUNK_BYTES, of.offset);
      if (bytesRead === 0) return;
      of.offset += bytesRead;
      takeLines(of, of.decoder.write(buffer.subarray(0, bytesRead)), onLine);
    }
  }

  async function openAt(atEnd: boolean): Promise<OpenLog> {
    const handle = await open(path, "r");
    const { ino, size } = await handle.stat();
    return { handle, inode: ino, offset: atEnd ? size : 0, rest: "", isSkipping: false, decoder: new StringDecoder() };
  }

  async function look(): Promise<void> {
    // What was written to a log before it was moved away is read first.
    if (log) await readToEnd(log);
    if (log && (await stat(path)).ino !== log.inode) {
      await log.handle.close();
      log = null;
    }
    if (log) return;
    log = await openAt(isFirst && fromEnd);
    isFirst = false;
    await readToEnd(log);
  }

  async function lookOnce(): Promise<void> {
    let now: string | null = null;
    try {
      await look();
    } catch (error) {
      // A log that is not there yet is read from its beginning.
      if ((error as NodeJS.ErrnoException).code === "ENOENT") isFirst = false;
      now = (error as Error).message;
    }
    if (now !== problem) onProblem(now);
    problem = now;
  }

  let looking = Promise.resolve();
  function poll(): void {
    looking = lookOnce().then(() => {
      if (!isStopped) timer = setTimeout(poll, POLL_MS);
    });
  }
  poll();

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await looking;
      clearTimeout(timer);
      await lookOnce();
      await log?.handle.close();
    },
  };
}

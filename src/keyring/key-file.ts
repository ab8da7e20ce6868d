// A file of master keys: one per line, the preferred one first; `#` begins a comment.
import { randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fchownSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { KeyringError, parseMasterKey } from "./master-key.ts";
import type { MasterKey } from "./master-key.ts";

const HEADING = [
  "# Master keys of Reeve, one to a line, the one to prefer first. Without them no secret can be read again:",
  "# keep a copy of this file, apart from the copies of the database.",
];

function readLines(file: string): readonly string[] | undefined {
  try {
    return readFileSync(file, "utf8").split("\n");
  } catch (error) {
    if (/^(?:ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new KeyringError(`cannot read the master keys in ${file}: ${(error as Error).message}`);
  }
}

function isKey(line: string): boolean {
  // A byte order mark counts as a space.
  return !/^\s*(?:#|$)/.test(line);
}

/** The keys of a file; undefined without a file. Throws a KeyringError for an invalid line. */
export function readKeyFile(file: string): readonly MasterKey[] | undefined {
  return readLines(file)?.flatMap((line, at) =>
    isKey(line) ? [parseMasterKey(line.trim(), `${file}, line ${at + 1}`)] : [],
  );
}

/** Keeps the owner of a file that root rewrites: a server that runs as that user must be able to read it. */
function keepOwner(descriptor: number, file: string): void {
  const present = statSync(file, { throwIfNoEntry: false }) ?? statSync(dirname(file));
  if (process.getuid?.() === 0) fchownSync(descriptor, present.uid, present.gid);
}

/** Replaces the file at once or not at all; it is on disk when this returns. A link is followed, and stays one. */
function replaceFile(path: string, lines: readonly string[]): void {
  try {
    const file = existsSync(path) ? realpathSync(path) : path;
    const folder = dirname(file);
    // Always the same temporary name, so that no copy of the keys is left behind: the caller holds the instance's lock.
    const written = `${file}.new`;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const descriptor = openSync(written, "w", 0o600);
    try {
      keepOwner(descriptor, file);
      writeSync(descriptor, `${lines.join("\n").trimEnd()}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(written, file);
    const directory = openSync(folder, "r");
    fsyncSync(directory);
    closeSync(directory);
  } catch (error) {
    throw new KeyringError(`cannot write the master keys to ${path}: ${(error as Error).message}`);
  }
}

/**
 * Adds a new key as the first of the file, and creates a missing file with mode 0600. Throws a KeyringError when the file can't be
 * written.
 */
export function addNewKey(file: string): MasterKey {
  const value = randomBytes(32).toString("base64");
  const kept = (readLines(file) ?? []).filter((line) => !HEADING.includes(line.trim()));
  replaceFile(file, [...HEADING, value, ...kept]);
  return parseMasterKey(value, file);
}

/** Removes a key from the file; false when the file does not hold it. */
export function removeKey(file: string, id: string): boolean {
  const lines = readLines(file) ?? [];
  const kept = lines.filter((line) => !isKey(line) || parseMasterKey(line.trim(), file).id !== id);
  if (kept.length === lines.length) return false;
  replaceFile(file, kept);
  return true;
}

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
import { decodeText } from "../kernel/text/decode-text.ts";
import { KeyringError, parseMasterKey } from "./master-key.ts";
import type { MasterKey } from "./master-key.ts";

const HEADING = [
  "# Master keys of Reeve, one to a line, the one to prefer first. Without them no secret can be read again:",
  "# keep a copy of this file, apart from the copies of the database.",
];

function readLines(file: string): readonly string[] | undefined {
  try {
    return decodeText(readFileSync(file)).split("\n");
  } catch (error) {
    if (/^(?:ENOENT|ENOTDIR)$/.test((error as NodeJS.ErrnoException).code ?? "")) return undefined;
    throw new KeyringError(`cannot read the master keys in ${file}: ${(error as Error).message}`);
  }
}

function isKey(line: string): boolean {
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

const ASIDE = "# Retired master keys, which no server reads: older backups need them.";

/**
 * Moves a key from the file into the one beside it for retired keys, whose name it returns; null when the file does not hold it. The key is
 * in one of the two at any time.
 */
export function setKeyAside(file: string, id: string): string | null {
  const lines = readLines(file) ?? [];
  const isRetired = (line: string) => isKey(line) && parseMasterKey(line.trim(), file).id === id;
  const retired = lines.filter(isRetired);
  if (retired.length === 0) return null;
  const aside = `${file}.retired`;
  const present = readLines(aside) ?? [ASIDE];
  replaceFile(aside, [...present.filter((line) => line.trim() !== ""), `# ${id}`, ...retired]);
  replaceFile(
    file,
    lines.filter((line) => !isRetired(line)),
  );
  return aside;
}

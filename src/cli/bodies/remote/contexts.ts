// The contexts of a person: servers and tokens for them, in a file that only that person may read.
import { chmod, lstat, mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeAtomically } from "../../../serve/backup/atomic-file.ts";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { textOf } from "../input.ts";
import { fileReason } from "../../../platform/kernel/text/file-reason.ts";

/** A server and somebody's token for it, under a name. */
export interface ContextEntry {
  readonly name: string;
  readonly server: string;
  readonly username: string;
  /** End of the token, ms; null: never. */
  readonly expiresAt: number | null;
  readonly isCurrent: boolean;
}

export interface Context {
  readonly server: string;
  readonly token: string;
  readonly username: string;
  /** End of the token, ms; null: never. */
  readonly expiresAt: number | null;
}

/** The file's content. */
export interface Contexts {
  /** Name of the context that commands use. */
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

const NONE: Contexts = { current: null, contexts: {} };
const FORMAT = 1;
const OF_OTHERS = 0o077;

function unusable(problem: string): Failure {
  return new Failure("refused", problem, "contexts_unusable");
}

/** Refuses a file that another account could read or has made: its tokens may be known, or be somebody else's. */
async function requirePrivate(file: string): Promise<void> {
  const { mode, uid } = await lstat(file);
  // Without accounts of this kind the system knows no such modes.
  if (process.getuid === undefined) return;
  if (uid !== process.getuid()) throw unusable(`${file} belongs to another account: remove it`);
  if ((mode & OF_OTHERS) === 0) return;
  throw unusable(
    `other accounts can read the tokens in ${file}: run \`chmod 600 ${file}\`, or sign in again without it`,
  );
}

function isContext(value: unknown): value is Context {
  const { server, token, username, expiresAt } = (value ?? {}) as Partial<Record<keyof Context, unknown>>;
  const isText = [server, token, username].every((text) => typeof text === "string");
  return isText && (expiresAt === null || typeof expiresAt === "number");
}

function parseContexts(file: string, text: string): Contexts {
  try {
    const { version, current, contexts } = JSON.parse(text) as Contexts & { readonly version: unknown };
    const isKnown = version === FORMAT && (current === null || typeof current === "string");
    if (isKnown && Object.values(contexts).every(isContext)) return { current, contexts };
  } catch {
    // Said below, as for any other content.
  }
  throw unusable(`${file} is no list of contexts that this version of reeve can read: move it away and sign in again`);
}

/** The stored contexts; none where there is no file. */
export async function readContexts(file: string): Promise<Contexts> {
  try {
    await requirePrivate(file);
    return parseContexts(file, textOf(file, await readFile(file)));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return NONE;
    if (error instanceof Failure) throw error;
    throw unusable(`cannot read ${file}: ${fileReason(error)}`);
  }
}

/** Replaces the file as a whole. */
export async function writeContexts(file: string, contexts: Contexts): Promise<void> {
  const folder = dirname(file);
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    // A umask may have taken more away than the owner can do without.
    if (made !== undefined) await chmod(folder, 0o700);
  } catch (error) {
    throw unusable(`cannot make the folder ${folder}: ${(error as Error).message}`);
  }
  const text = `${JSON.stringify({ version: FORMAT, ...contexts }, null, 2)}\n`;
  await writeAtomically(file, true, (handle) => handle.writeFile(text));
}

/** A context for people: without its token. */
export function describeContext({ current }: Contexts, name: string, context: Context): ContextEntry {
  const { server, username, expiresAt } = context;
  return { name, server, username, expiresAt, isCurrent: name === current };
}

export function unknownContext(name: string): Failure {
  return new Failure("absent", `there is no context ${name}: \`reeve context list\` shows them`, "context_unknown");
}

/** A context by its name. */
export function getContext({ contexts }: Contexts, name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  if (!context) throw unknownContext(name);
  return context;
}

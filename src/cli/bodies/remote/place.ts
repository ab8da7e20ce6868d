// What commands of a folder are about: variables, or the file of `reeve link`, in the folder or one above it. A repository may bring
// that file, so it names a team, a project and an environment and nothing else: no server, no credential.
import { lstat, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { writeAtomically } from "../../../serve/backup/atomic-file.ts";
import { Failure } from "../../../platform/outcomes/failure.ts";
import { textOf } from "../input.ts";
import { PLACE_NAMES } from "./place-names.ts";
import type { Place, PlaceName } from "./place-names.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { findDuplicate } from "../../../platform/kernel/text/duplicate-members.ts";
import { fileReason } from "../../../platform/kernel/text/file-reason.ts";
import { unknownKey } from "../../../platform/kernel/text/nearest-name.ts";
import { shellWord } from "../../../platform/kernel/text/shell-word.ts";

export const LINK_FILE = ".reeve.json";
const MAX_BYTES = 4_096;
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/;
const BY_OTHERS = 0o002;

const ADVICE = "write it again (`reeve link --team TEAM` in its folder), or add --no-link to the command";

function unusable(file: string, problem: string, advice = ADVICE): Failure {
  return new Failure("usage", `${file}: ${problem}; ${advice}`, "link_unusable");
}

/** Refuses a file that somebody else has put above the folder, as in /tmp: it decides where values go to and come from. */
async function requireOwn(file: string): Promise<void> {
  const { mode, size, uid, ...stats } = await lstat(file).then((found) => ({
    mode: found.mode,
    size: found.size,
    uid: found.uid,
    isFile: found.isFile(),
  }));
  if (!stats.isFile) throw unusable(file, "expected a regular file");
  if (size > MAX_BYTES) throw unusable(file, `expected at most ${MAX_BYTES} bytes`);
  // Without accounts of this kind the system knows no owners.
  const own = process.getuid?.();
  if (own !== undefined && uid !== own && uid !== 0) {
    throw unusable(file, "it belongs to another account");
  }
  if (own !== undefined && (mode & BY_OTHERS) !== 0) {
    throw unusable(file, "every account may write it", `run \`chmod o-w ${shellWord(file)}\``);
  }
}

function parseLink(file: string, text: string): Readonly<Partial<Record<PlaceName, string>>> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw unusable(file, "expected JSON");
  }
  const twice = findDuplicate(text, "");
  if (twice !== undefined) throw unusable(file, `expected each member once, and ${twice.slice(1)} is there twice`);
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw unusable(file, "expected an object");
  // It would hide the file of a folder above.
  if (Object.keys(value).length === 0) throw unusable(file, "expected team, project or env");
  for (const [name, one] of Object.entries(value)) {
    if (!(PLACE_NAMES as readonly string[]).includes(name)) {
      throw unusable(
        file,
        `${unknownKey(name, PLACE_NAMES)}: ${JSON.stringify(name)}; it takes ${PLACE_NAMES.join(", ")}`,
      );
    }
    if (typeof one !== "string" || !NAME.test(one)) throw unusable(file, `${name}: expected a name or an id`);
  }
  return value;
}

/** Null: there is none. */
async function readLink(file: string): Promise<Place | null> {
  try {
    await requireOwn(file);
    const names = parseLink(file, textOf(file, await readFile(file)));
    return Object.fromEntries(Object.entries(names).map(([name, value]) => [name, { value, by: file }]));
  } catch (error) {
    if (error instanceof Failure) throw error;
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return null;
    throw unusable(file, `cannot read it: ${fileReason(error)}`);
  }
}

async function findLink(folder: string): Promise<Place> {
  const found = await readLink(join(folder, LINK_FILE));
  if (found !== null) return found;
  const above = dirname(folder);
  return above === folder ? {} : await findLink(above);
}

/** A variable wins over the file. Variables for all three leave the file unread, and so does no folder. */
export async function findPlace({ place }: RemoteSettings, folder: string | null): Promise<Place> {
  const variables = Object.entries(place).flatMap(([name, value]) =>
    value === null ? [] : [[name, { value, by: `REEVE_${name.toUpperCase()}` }] as const],
  );
  const isRead = folder !== null && variables.length < PLACE_NAMES.length;
  const link = isRead ? await findLink(resolve(folder)) : {};
  return { ...link, ...Object.fromEntries(variables) };
}

/** Writes the file of a folder; returns its name. */
export async function writeLink(folder: string, names: Readonly<Partial<Record<PlaceName, string>>>): Promise<string> {
  const file = join(resolve(folder), LINK_FILE);
  const text = `${JSON.stringify(names, null, 2)}\n`;
  parseLink(file, text);
  await writeAtomically(file, true, (handle) => handle.writeFile(text));
  return file;
}

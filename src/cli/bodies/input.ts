// What a command reads from a file or standard input.
import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { decodeText, findEncodingProblem, hasMark } from "../../platform/kernel/text/decode-text.ts";
import { findDuplicate } from "../../platform/kernel/text/duplicate-members.ts";
import { fileReason } from "../../platform/kernel/text/file-reason.ts";
import { toPrintableLines } from "../../platform/kernel/text/printable-text.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { explainJson } from "./json-error.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

/** What a file is called in a message. */
export const shownFile = (file: string): string => (file === "-" ? "standard input" : file);

/** The bytes of a file that a flag names; `-` is standard input. */
export async function readBytes(flag: string, file: string): Promise<Buffer> {
  try {
    return await buffer(file === "-" ? currentProcess().stdin : createReadStream(file));
  } catch (error) {
    throw new Failure("usage", `${flag}: cannot read ${shownFile(file)}: ${fileReason(error)}`);
  }
}

/** The text of bytes, which `what` names in a failure. That a byte order mark is taken off is said, because it was in the input. */
export function textOf(what: string, bytes: Buffer): string {
  const problem = findEncodingProblem(bytes);
  if (problem !== null) throw new Failure("usage", `${what}: ${problem}`, "bad_encoding");
  if (hasMark(bytes)) currentProcess().stderr.write(toPrintableLines(`reeve: ${what}: took off a byte order mark\n`));
  return decodeText(bytes);
}

/** The text of a file that a flag names; `-` is standard input. */
export async function readText(flag: string, file: string): Promise<string> {
  return textOf(`${flag}: ${shownFile(file)}`, await readBytes(flag, file));
}

/** The path of a number that JSON has no form for: it would be sent as null. */
function findOverflow(value: unknown, path = ""): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : path;
  if (typeof value !== "object" || value === null) return undefined;
  const inside = Array.isArray(value)
    ? value.map((one: unknown, at) => [`${path}[${at}]`, one] as const)
    : Object.entries(value).map(([name, one]) => [`${path}.${name}`, one] as const);
  for (const [at, one] of inside) {
    const found = findOverflow(one, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The value of a JSON text, which is sent as it was given or not at all. `what` names the text in a failure. */
export function parseInput(what: string, text: string, withLine = true): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { line, reason } = explainJson(text);
    throw new Failure("usage", `${what}${withLine ? `, line ${line}` : ""}: expected JSON (${reason})`);
  }
  const at = (path: string) => (path === "" ? what : `${what}: ${path.replace(/^\./, "")}`);
  const twice = findDuplicate(text, "");
  if (twice !== undefined) throw new Failure("usage", `${at(twice)}: expected once`);
  const overflow = findOverflow(value);
  if (overflow === undefined) return value;
  throw new Failure("usage", `${at(overflow)}: expected a number that is not beyond all that can be stored`);
}

/** The JSON of a file that a flag names. */
export async function readJson(flag: string, file: string): Promise<unknown> {
  return parseInput(`${flag}: ${shownFile(file)}`, await readText(flag, file));
}

/** The same of an object or an array. */
export async function readInput(flag: string, file: string): Promise<object> {
  const value = await readJson(flag, file);
  if (typeof value === "object" && value !== null) return value;
  throw new Failure("usage", `${flag}: expected ${shownFile(file)} to hold a JSON object or array`);
}

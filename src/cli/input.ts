// What a command reads from a file or standard input.
import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { decodeText, findEncodingProblem, hasMark } from "../kernel/text/decode-text.ts";
import { fileReason } from "../kernel/text/file-reason.ts";
import { Failure } from "./failure.ts";
import { explainJson } from "./json-error.ts";
import { printComplaint } from "./output.ts";

/** What a file is called in a message. */
export const shownFile = (file: string): string => (file === "-" ? "standard input" : file);

/** The bytes of a file that a flag names; `-` is standard input. */
export async function readBytes(flag: string, file: string): Promise<Buffer> {
  try {
    return await buffer(file === "-" ? process.stdin : createReadStream(file));
  } catch (error) {
    throw new Failure("usage", `${flag}: cannot read ${shownFile(file)}: ${fileReason(error)}`);
  }
}

/** The text of bytes, which `what` names in a failure. That a byte order mark is taken off is said, because it was in the input. */
export function textOf(what: string, bytes: Buffer): string {
  const problem = findEncodingProblem(bytes);
  if (problem !== null) throw new Failure("usage", `${what}: ${problem}`, "bad_encoding");
  if (hasMark(bytes)) printComplaint(`reeve: ${what}: took off a byte order mark\n`);
  return decodeText(bytes);
}

/** The text of a file that a flag names; `-` is standard input. */
export async function readText(flag: string, file: string): Promise<string> {
  return textOf(`${flag}: ${shownFile(file)}`, await readBytes(flag, file));
}

/** The JSON of a file that a flag names. */
export async function readJson(flag: string, file: string): Promise<unknown> {
  const text = await readText(flag, file);
  try {
    return JSON.parse(text);
  } catch {
    const { line, reason } = explainJson(text);
    throw new Failure("usage", `${flag}: ${shownFile(file)}, line ${line}: expected JSON (${reason})`);
  }
}

/** The same of an object or an array. */
export async function readInput(flag: string, file: string): Promise<object> {
  const value = await readJson(flag, file);
  if (typeof value === "object" && value !== null) return value;
  throw new Failure("usage", `${flag}: expected ${shownFile(file)} to hold a JSON object or array`);
}

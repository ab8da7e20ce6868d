// What a command reads from a file or standard input.
import { createReadStream } from "node:fs";
import { buffer } from "node:stream/consumers";
import { fileReason } from "../kernel/text/file-reason.ts";
import { Failure } from "./failure.ts";

/** The bytes of a file that a flag names; `-` is standard input. */
export async function readBytes(flag: string, file: string): Promise<Buffer> {
  try {
    return await buffer(file === "-" ? process.stdin : createReadStream(file));
  } catch (error) {
    throw new Failure("usage", `${flag}: cannot read ${file}: ${fileReason(error)}`);
  }
}

/** The JSON of a file that a flag names: an object or an array. */
export async function readInput(flag: string, file: string): Promise<object> {
  const text = (await readBytes(flag, file)).toString("utf8");
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // Said below, as for any other content.
  }
  throw new Failure("usage", `${flag}: expected ${file} to hold a JSON object or array`);
}

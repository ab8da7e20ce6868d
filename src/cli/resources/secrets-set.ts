// `reeve secrets set`: stores a value that is read from a file, standard input or a terminal, never from an argument: other users of
// the machine can see the command line.
import { Option } from "commander";
import { ReeveError } from "../../client/error.ts";
import type { CommandSpec } from "../command.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { findEncodingProblem } from "../../platform/kernel/text/decode-text.ts";
import { readBytes, shownFile, textOf } from "../bodies/input.ts";
import { askSilently } from "../passphrase.ts";
import { teamOption } from "../place-options.ts";
import { explainRemote } from "../bodies/remote/remote-failure.ts";
import type { RemoteClient } from "../bodies/remote/open-client.ts";
import { unreadableNote } from "./unreadable-secret.ts";
import { currentProcess } from "../../platform/kernel/settings/current-process.ts";

interface SetOptions {
  readonly team?: string;
  readonly valueFile?: string;
  readonly keepNewline?: true;
  readonly binary?: true;
  readonly decryptable?: true;
  readonly expectedVersion?: string;
}

/** The flags and the argument, by their members of a value. */
const GIVEN_BY: Readonly<Record<string, string>> = {
  name: "<name>",
  value: "--value-file",
  expectedVersion: "--expected-version",
};

/** A refusal of what was given, by what gives it. */
function explainSet(error: unknown, name: string, remote: RemoteClient): unknown {
  const failure = explainRemote(error, remote);
  if (!(error instanceof ReeveError) || !(failure instanceof Failure)) return failure;
  const [, member = ""] = /\bvalues\[0\]\.(\w+)$/.exec(error.field) ?? [];
  const by = GIVEN_BY[member];
  if (by === undefined || error.expected === "") return failure;
  const got = member === "name" ? `, got ${JSON.stringify(name)}` : "";
  return new Failure("refused", `${remote.server} refuses: ${by}: expected ${error.expected}${got}`, error.code);
}

function readVersion(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new Failure("usage", `--expected-version: expected a number, got ${JSON.stringify(text)}`);
}

const READ_FROM = "the value is read from the standard input or --value-file";

/** Throws a Failure for a name with a value behind =, before another one is read. It is not printed. */
function requireNoValue(name: string): void {
  const [before = "", value] = name.split("=");
  if (value === undefined) return;
  throw new Failure("usage", `<name>: "${before}=…" is no name of a secret: ${READ_FROM}`, "invalid_secret_name");
}

const END = /\r?\n$/;

/** That a file had no value. */
function nothingIn(file: string, { length }: Buffer): Failure {
  const what = length === 0 ? "empty" : "nothing but a line break, which --keep-newline keeps";
  if (file !== "-") return new Failure("usage", `--value-file: expected a value in ${file}, which is ${what}`);
  return new Failure("usage", `the standard input was ${what}: pipe the value, or give its file with --value-file`);
}

/** The value as a call takes it. An editor and `echo` end a file with a line break that is no part of it. */
async function readValue({ valueFile, keepNewline, binary }: SetOptions) {
  if (valueFile === undefined && currentProcess().stdin.isTTY) {
    const value = await askSilently("Value: ");
    if (value === "") throw new Failure("usage", "expected a value, got nothing");
    return { value };
  }
  const file = valueFile ?? "-";
  const bytes = await readBytes("--value-file", file);
  if (bytes.length === 0) throw nothingIn(file, bytes);
  if (binary) return { value: bytes.toString("base64"), encoding: "base64" as const };
  const problem = findEncodingProblem(bytes);
  const what = `--value-file: ${shownFile(file)}`;
  if (problem !== null) throw new Failure("usage", `${what}: ${problem}; --binary stores bytes as they are`);
  const text = textOf(what, bytes);
  const value = keepNewline ? text : text.replace(END, "");
  if (value === "") throw nothingIn(file, bytes);
  // A value of the API is text without zero bytes, or bytes.
  return value.includes("\0")
    ? { value: Buffer.from(value).toString("base64"), encoding: "base64" as const }
    : { value };
}

/** What of a text is kept, and is probably not meant; null: nothing. */
function keptNote({ value, encoding }: { readonly value: string; readonly encoding?: "base64" }): string | null {
  if (encoding !== undefined) return null;
  if (/^\s|\s$/.test(value)) return "The value begins or ends with white space or a line break, which is part of it.";
  return value.includes("\r") ? "The value has line breaks of Windows (CR LF), which are part of it." : null;
}

export const secretsSetCommand: CommandSpec<SetOptions> = {
  name: "set",
  summary: "store the value of a secret, new or not",
  description:
    "Store the value of a secret: a secret that is there gets a new version, another name gets one. The value is read from the " +
    "standard input, a file, or the terminal, without the line break at its end. It is text in UTF-8, or with --binary any bytes. " +
    "Without --decryptable, nobody can read a new secret back, and environments cannot refer to it.",
  needs: "server",
  changes: true,
  hint: `${READ_FROM}, never from an argument, which process lists and the history of a shell show`,
  examples: [
    "reeve secrets set DATABASE_URL --team acme --decryptable < database-url.txt",
    "reeve secrets set TLS_KEY --team acme --decryptable --value-file key.pem --keep-newline",
  ],
  arguments: [{ name: "<name>", help: "name of the secret" }],
  options: [
    teamOption(),
    new Option("--value-file <file>", "file with the value; - reads the standard input, as without it"),
    new Option("--keep-newline", "keep the line break at the end"),
    new Option("--binary", "store the bytes as they are, to the last one").conflicts("keepNewline"),
    new Option(
      "--decryptable",
      "a new secret can be read back, and environments can refer to it; it cannot be chosen later",
    ),
    new Option("--expected-version <number>", "refuse unless the secret is at this version; 0: there is none yet"),
  ],
  async run({ open, options, args: [name = ""], output }) {
    requireNoValue(name);
    const given = await readValue(options);
    const expected =
      options.expectedVersion === undefined ? {} : { expectedVersion: readVersion(options.expectedVersion) };
    const value = { name, ...given, ...expected };
    const remote = await open(options.team);
    const body = { values: [value], ...(options.decryptable ? { decryptable: true } : {}) };
    const result = await remote.client.call("setSecretValues", { body }).catch((error: unknown) => {
      throw explainSet(error, name, remote);
    });
    const [secret] = result.secrets;
    output.result(secret, `Stored version ${secret?.version} of the secret ${name}.`);
    const kept = options.keepNewline ? null : keptNote(given);
    if (kept !== null) output.note(kept);
    const note = unreadableNote({ ...secret }, options.decryptable);
    if (note !== null) output.note(note);
  },
};

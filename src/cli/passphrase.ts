// Reads passphrases and identities from a file, standard input or a terminal; never from an argument, since other users of
// the machine can see the command line.
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import { Failure } from "../platform/outcomes/failure.ts";
import { findReplacement } from "../platform/kernel/text/decode-text.ts";
import { readText } from "./bodies/input.ts";
import { currentProcess } from "../platform/kernel/settings/current-process.ts";

/** Returns the first line, so that an editor's trailing newline is no part of the passphrase. */
export async function readPassphrase(file: string): Promise<string> {
  const [passphrase = ""] = (await readText("--passphrase-file", file)).split(/\r?\n/, 1);
  if (passphrase === "") throw new Failure("refused", "--passphrase-file: its first line is empty");
  return passphrase;
}

/** Identities as `age-keygen` writes them: one to a line, between comments. */
export async function readIdentities(file: string): Promise<readonly string[]> {
  const lines = (await readText("--identity-file", file)).split(/\r?\n/).map((line) => line.trim());
  const identities = lines.filter((line) => line !== "" && !line.startsWith("#"));
  if (identities.length === 0) throw new Failure("refused", `--identity-file: there is no identity in ${file}`);
  return identities;
}

/** Asks on the terminal without echoing what is typed. */
export async function askSilently(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin: input, stderr } = currentProcess();
  const terminal = createInterface({ input, output: silent, terminal: true });
  stderr.write(question);
  try {
    const typed = await new Promise<string>((resolve, reject) => {
      terminal.once("line", resolve);
      // Ctrl-C and Ctrl-D.
      terminal.once("close", () => reject(new Failure("refused", "no passphrase was typed")));
    });
    const problem = findReplacement(typed);
    if (problem !== null) throw new Failure("usage", `terminal: ${problem}`, "bad_encoding");
    return typed;
  } finally {
    terminal.close();
    stderr.write("\n");
  }
}

/** Asks for a passphrase on the terminal, twice for a new one. Without a terminal it fails with `missing`. */
export async function askPassphrase(isNew: boolean, missing: string): Promise<string> {
  if (!currentProcess().stdin.isTTY) throw new Failure("usage", missing);
  const passphrase = await askSilently("Passphrase: ");
  if (passphrase === "") throw new Failure("refused", "the passphrase is empty");
  if (isNew && (await askSilently("The same again: ")) !== passphrase)
    throw new Failure("refused", "they are not the same");
  return passphrase;
}

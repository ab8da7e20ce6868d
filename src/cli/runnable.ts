// Turns commands in texts, `reeve keys rotate` and lines of examples, into what runs them where the text is printed.

import { shellWord } from "../kernel/text/shell-word.ts";

/** Commands that find their data by the settings of the server. */
const OF_DATA = /^(?:backup|doctor|events verify|export|import|keys|migrate|restore|serve|token|user)\b/;
/** Commands that need the address of the server too. */
const OF_ADDRESS = /^(?:serve|user sign-in-link)\b/;
/** Commands that ask a server elsewhere. */
const OF_SERVER =
  /^(?:api|api-keys|env|environments|events (?!verify\b|checkpoint\b)[a-z-]+|firewall (?!test\b)[a-z-]+|gate why|identity|invites|link|login|logout|members|run|secrets (?!export\b|import\b)[a-z-]+|teams|tokens|webhooks|whoami)(?![\w-])/;

const DATA_FLAGS = ["data-dir", "database-url", "master-key-file"];
const ADDRESS_FLAGS = ["host", "port", "public-url"];
const SERVER_FLAGS = ["server", "context"];

export interface Invocation {
  /** What people write in place of `reeve`. */
  readonly command: string;
  /** The flags of this command line that lead to its data and its server, by name. */
  readonly flags: Readonly<Record<string, string>>;
}

/** A printed command ends up in logs: the person fills the password in. */
function withoutPassword(text: string): string {
  return text.replace(/^(\w+:\/\/[^:@/?#]*):.*@/s, "$1:PASSWORD@").replace(/([?&]password=)[^&#]*/i, "$1PASSWORD");
}

/** The flags of a command line that another command needs to be about the same server. */
export function findFlags(args: readonly string[]): Invocation["flags"] {
  const found = [...DATA_FLAGS, ...ADDRESS_FLAGS, ...SERVER_FLAGS].flatMap((name) => {
    const at = args.findLastIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    const word = args[at];
    const value = word === `--${name}` ? args[at + 1] : word?.slice(name.length + 3);
    return value === undefined ? [] : [[name, withoutPassword(value)] as const];
  });
  return Object.fromEntries(found);
}

function flagsFor(words: string, flags: Invocation["flags"]): string {
  const names = [
    ...(OF_DATA.test(words) ? DATA_FLAGS : []),
    ...(OF_ADDRESS.test(words) ? ADDRESS_FLAGS : []),
    ...(OF_SERVER.test(words) ? SERVER_FLAGS : []),
  ];
  return names
    .flatMap((name) => {
      const value = flags[name];
      return value === undefined || words.includes(`--${name}`) ? [] : [` --${name} ${shellWord(value)}`];
    })
    .join("");
}

/** Commands between backquotes. */
export function makeRunnable(text: string, { command, flags }: Invocation): string {
  return text.replaceAll(
    /`reeve ([a-z_][^`]*)`/g,
    (_, words: string) => `\`${command} ${words}${flagsFor(words, flags)}\``,
  );
}

/** A whole command line, which may be part of another one. */
export function runnableLine(line: string, command: string): string {
  return line.replaceAll(/(^|[\s(])reeve (?=[a-z])/g, (_, before: string) => `${before}${command} `);
}

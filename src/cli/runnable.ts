// Turns commands in texts, `reeve keys rotate` and lines of examples, into what runs them where the text is printed.

import { shellWord } from "../platform/kernel/text/shell-word.ts";

/** What leads a printed command to the same data, server and place, by the commands that need it. */
const CARRIED: readonly { readonly of: RegExp; readonly names: readonly string[] }[] = [
  {
    of: /^(?:backup|doctor|events (?:checkpoint|verify)|export|import|keys|migrate|restore|secrets (?:export|import)|serve|token|user|worker)(?![\w-])/,
    names: ["data-dir", "database-url", "master-key", "master-key-file"],
  },
  { of: /^(?:serve|user sign-in-link)(?![\w-])/, names: ["host", "port", "public-url"] },
  {
    of: /^(?:api|api-keys|env|environments|events (?!verify\b|checkpoint\b)[a-z-]+|firewall (?!test\b)[a-z-]+|gate why|identity|invites|link|members (?!join\b)[a-z-]+|projects|run|secrets (?!export\b|import\b)[a-z-]+|webhooks)(?![\w-])/,
    names: ["server", "context", "team"],
  },
  { of: /^(?:login|logout|members(?! (?!join\b))|teams|tokens|whoami)(?![\w-])/, names: ["server", "context"] },
  { of: /^(?:env|firewall (?!test\b|traffic metrics\b)[a-z-]+|link|run)(?![\w-])/, names: ["project"] },
  { of: /^(?:env|link|run)(?![\w-])/, names: ["env"] },
];

/** The flags that have a letter too. */
const LETTERS: Readonly<Record<string, string>> = { team: "-t", project: "-p", env: "-e" };

/** A setting that the environment gives. */
export interface GivenSetting {
  /** Of its flag, or as its flag would have. */
  readonly name: string;
  readonly variable: string;
  readonly text: string;
  readonly hasFlag: boolean;
  readonly isSecret: boolean;
}

export interface Invocation {
  /** What people write in place of `reeve`. */
  readonly command: string;
  /** What leads to the data, the server and the place of this command line, by the flag's name. */
  readonly flags: Readonly<Record<string, string>>;
  /** What of that no flag can say, by the same names: assignments of variables. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A printed command ends up in logs: the person fills the password in. */
function withoutPassword(text: string): string {
  return text
    .replace(/^(\w+:\/\/[^:@/?#]*):.*@/s, "$1:PASSWORD@")
    .replace(/([?&](?:ssl)?password=)[^&#]*/gi, "$1PASSWORD");
}

function findFlag(args: readonly string[], name: string): string | undefined {
  const forms = [`--${name}`, ...(LETTERS[name] === undefined ? [] : [LETTERS[name]])];
  for (const [at, word] of [...args.entries()].toReversed()) {
    if (forms.includes(word)) return args[at + 1];
    if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3);
    if (forms[1] !== undefined && word.startsWith(forms[1])) return word.slice(forms[1].length);
  }
  return undefined;
}

const canBeFlag = ({ hasFlag, text }: GivenSetting): boolean => hasFlag && withoutPassword(text) === text;

/** A secret is left to the shell that has the variable; another shell says that it has none, and runs nothing. */
const assignment = ({ variable, text, isSecret }: GivenSetting): string =>
  `${variable}=${isSecret ? `\${${variable}:?}` : shellWord(text)}`;

/** What another command needs of a command line and of its environment to be about the same. */
export function findGiven(
  args: readonly string[],
  settings: readonly GivenSetting[],
): Pick<Invocation, "flags" | "variables"> {
  const typed = CARRIED.flatMap(({ names }) => names).flatMap((name) => {
    const value = findFlag(args, name);
    return value === undefined ? [] : [[name, withoutPassword(value)] as const];
  });
  const others = settings.filter(({ name }) => !typed.some(([one]) => one === name));
  const flags = others.filter(canBeFlag).map(({ name, text }) => [name, text] as const);
  const variables = others.filter((one) => !canBeFlag(one)).map((one) => [one.name, assignment(one)] as const);
  return { flags: Object.fromEntries([...flags, ...typed]), variables: Object.fromEntries(variables) };
}

/** A command, given by its words, with what it needs. */
function carry(words: string, { command, flags, variables = {} }: Invocation): string {
  const given = words.split(" ");
  const names = CARRIED.flatMap((one) => (one.of.test(words) ? one.names : [])).filter(
    (name) => findFlag(given, name) === undefined,
  );
  const before = names.flatMap((name) => variables[name] ?? []);
  const after = names.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${name} ${shellWord(value)}`];
  });
  // The words after `--` belong to another program.
  const [own = "", ...program] = words.split(/(?= -- )/);
  return [...before, command, own, ...after].join(" ") + program.join("");
}

/** Commands between backquotes. */
export function makeRunnable(text: string, invocation: Invocation): string {
  return text.replaceAll(/`reeve ([a-z_][^`]*)`/g, (_, words: string) => `\`${carry(words, invocation)}\``);
}

/** A whole command line, which may be part of another one. */
export function runnableLine(line: string, command: string): string {
  return line.replaceAll(/(^|[\s(])reeve (?=[a-z])/g, (_, before: string) => `${before}${command} `);
}

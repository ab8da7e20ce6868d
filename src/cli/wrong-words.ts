// What is said of a line that can't be understood: what was probably meant, by the words that people of other programs know.
import { Command } from "commander";
import type { ErrorOptions, HelpContext, Option } from "commander";
import { nearestNames } from "../platform/kernel/text/nearest-name.ts";
import { shellWord } from "../platform/kernel/text/shell-word.ts";

type Words = Readonly<Record<string, readonly string[]>>;

/** The same verbs for each of some words. */
function each(words: string, ...verbs: readonly string[]): Words {
  return Object.fromEntries(words.split(" ").map((word) => [word, verbs]));
}

/** Other words for verbs that change nothing, by the verbs for them: those that a group has are proposed, the first two. */
export const READING: Words = {
  ...each("get show read cat describe inspect info print", "reveal", "view", "pull", "status", "list"),
  ...each("ls all index list find search query", "list", "status"),
  ...each("log logs watch follow stream", "tail", "list", "actions"),
  ...each("history", "versions", "list"),
  ...each("compare", "diff"),
  ...each("check validate", "verify", "test", "explain", "status"),
  ...each("download dump fetch", "export", "pull", "reveal"),
};

/** The same of verbs that change something. */
export const WRITING: Words = {
  ...each("add create new make insert", "create", "add", "set", "generate", "invite", "on"),
  ...each("delete remove rm del destroy drop erase revoke", "delete", "remove", "revoke", "discard", "retire"),
  ...each("update edit change modify patch put write save store set", "set", "update", "put", "replace", "push"),
  ...each("upload send", "import", "push", "publish"),
  ...each("rename mv", "rename", "update"),
  ...each("enable start activate", "on", "enable", "activate"),
  ...each("disable stop deactivate", "off", "disable"),
  ...each("undo revert", "rollback", "restore", "discard"),
  ...each("recover undelete", "restore"),
  ...each("renew roll regenerate", "rotate", "rotate-secret", "resend"),
  ...each("retry repeat", "redeliver", "replay", "resend"),
  ...each("switch select choose", "use"),
};

/** Other words for options, by the options for them. */
const OPTIONS: Words = {
  ...each("d data body", "field", "input"),
  ...each("f file json-file", "input"),
  ...each("o out output format", "output", "to", "json"),
  ...each("org organization owner", "team"),
  ...each("environment", "env"),
  ...each("url host", "server"),
  ...each("y force", "yes"),
  ...each("n", "dry-run"),
  ...each("namespace", "project", "team"),
  ...each("X request", "method"),
};

/** What an argument that is too much looks like, by the options that take such a thing. */
const LOOKS: readonly { readonly like: RegExp; readonly options: readonly string[] }[] = [
  { like: /\.(?:json|ya?ml)$|^-$/, options: ["input"] },
  { like: /^(?:\d{1,3}\.){3}\d{1,3}(?:\/\d+)?$|^[\da-f]*:[\da-f:/]*:/i, options: ["source-ip"] },
  { like: /\*/, options: ["type", "types", "names"] },
  { like: /^[\w*-]+(?:\.[\w-]+)+$/, options: ["domain", "host"] },
  { like: /^/, options: ["name"] },
];
const PLACES = ["project", "env", "team"];
/** What leads to a server, or names something there. */
const REMOTE = ["server", "context", ...PLACES];

const MOST_PROPOSED = 3;

const meant = (names: readonly string[]): string => {
  const [last = "", ...others] = names.slice(0, MOST_PROPOSED).toReversed();
  const list = others.length === 0 ? last : `${others.toReversed().join(", ")} or ${last}`;
  return names.length === 0 ? "" : `Did you mean ${list}?`;
};

const namesOf = (command: Command): readonly string[] => [command.name(), ...command.aliases()];
const wordOf = ({ long, short }: Option): string => (long ?? short ?? "").replace(/^-+/, "");
const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** The option with its value, as it is typed. */
const typedAs = ({ long, flags }: Option): string => `${long}${/ .*$/.exec(flags.replace(/^-\w, /, ""))?.[0] ?? ""}`;

/** Whether a name in dashes has the parts of another one: `expected-version` has `version`. */
const hasParts = (name: string, part: string): boolean => part.length > 1 && `-${name}-`.includes(`-${part}-`);

function proposedVerbs(word: string, verbs: readonly string[], isGroup: boolean): readonly string[] {
  const other = isGroup ? { ...READING, ...WRITING } : {};
  const found = (key: string) => other[key]?.filter((verb) => verbs.includes(verb)).slice(0, 2) ?? [];
  if (Object.hasOwn(other, word)) return found(word);
  const known = Object.keys(other).filter((key) => !verbs.includes(key) && found(key).length > 0);
  const [nearest] = nearestNames(word, [...verbs, ...known], 1);
  if (nearest === undefined) return [];
  return verbs.includes(nearest) ? [nearest] : found(nearest);
}

/** What a command says of itself where its line can't be understood. */
export interface LineAdvice {
  /** The line as it was typed, up to `--`. */
  readonly words?: readonly string[] | undefined;
  /** Said with each such line, instead of a guess about an argument that is too much. */
  readonly hint?: string | undefined;
  /** The words behind the command that were probably meant by words that lack an argument; null: nobody knows. */
  readonly complete?: ((words: readonly string[]) => readonly string[] | null) | undefined;
}

/** A command of commander that says what was probably meant. */
export class AdvisingCommand extends Command {
  readonly #advice: LineAdvice;

  constructor(name: string, advice: LineAdvice) {
    super(name);
    this.#advice = advice;
  }

  /** The names of the command and of those above it. */
  #path(): readonly string[] {
    const names = [this.name()];
    for (let { parent } = this as Command; parent !== null; { parent } = parent) names.unshift(parent.name());
    return names;
  }

  #form(): string {
    const args = this.registeredArguments.map((one) => (one.required ? `<${one.name()}>` : `[${one.name()}]`));
    return `\`${[...this.#path(), ...args].join(" ")}\``;
  }

  /** Words in place of those that stand behind the command. */
  #line(words: readonly string[]): string {
    return `\`${[...this.#path(), ...words.map(shellWord)].join(" ")}\``;
  }

  #behind(): readonly string[] {
    return (this.#advice.words ?? []).slice(this.#path().length - 1);
  }

  #beforeCommand(): string {
    const words = this.#behind();
    const names = this.commands.flatMap(namesOf);
    const found = words.flatMap((word, at) => (names.includes(word) ? [at] : []));
    // A word right behind an option is probably its value.
    const at = found.find((one) => words[one - 1]?.startsWith("-") === false) ?? found[0];
    if (at === undefined) return "";
    return `Put it behind the command: ${this.#line([...words.slice(at), ...words.slice(0, at)])}`;
  }

  /** Of a verb in front of its group, as in `get secrets`: the two in their order. */
  #verbFirst(word: string): readonly string[] {
    const words = this.#behind();
    const name = words[words.indexOf(word) + 1];
    const group = this.commands.find(
      (one) => one.commands.length > 0 && namesOf(one).some((known) => known === name || known === `${name}s`),
    );
    return group
      ? proposedVerbs(word, group.commands.flatMap(namesOf), true).map((verb) => `${group.name()} ${verb}`)
      : [];
  }

  #unknownOption(flag: string): string {
    const word = flag.replace(/^-+/, "");
    const has = (name: string) => this.options.find((option) => wordOf(option) === name && !option.hidden);
    if (this.commands.length > 0) return this.#beforeCommand();
    const meantNames = [word, ...(OPTIONS[word] ?? [])];
    if (this.registeredArguments.some((one) => meantNames.some((name) => hasParts(one.name(), name))))
      return `It is an argument: ${this.#form()}`;
    if (REMOTE.includes(word) && has("data-dir") && !has("server")) {
      return `The command works on the whole database of this machine: run it there, without ${flag}`;
    }
    const group = this.parent?.commands.find(
      (one) => [word, `${word}s`].includes(one.name()) && one.commands.length > 0,
    );
    if (group) {
      const verbs = group.commands.map((one) => one.name()).join("|");
      return `There is \`${[...this.#path().slice(0, -1), group.name(), verbs].join(" ")}\``;
    }
    const shown = this.options.filter((option) => !option.hidden);
    const others = (OPTIONS[word] ?? []).flatMap((name) => has(name) ?? []);
    if (others.length > 0) return meant(others.map(typedAs));
    const [nearest] = nearestNames(word, shown.map(wordOf), 1);
    if (nearest !== undefined) return meant([`--${nearest}`]);
    return meant(shown.filter((option) => hasParts(wordOf(option), word)).map(typedAs));
  }

  /** A value of several words behind an option, without quotes. */
  #unquoted(first: string): string {
    const words = this.#behind();
    const at = words.findIndex((word, index) => word === first && words[index - 2]?.startsWith("--"));
    const option = this.options.find(({ long }) => long === words[at - 2]);
    if (at < 0 || !option || !takesValue(option) || words[at - 1]?.startsWith("-")) return "";
    const end = words.findIndex((word, index) => index > at && word.startsWith("-"));
    const value = words.slice(at - 1, end < 0 ? undefined : end).join(" ");
    return `Did you mean ${words[at - 2]} ${shellWord(value)}?`;
  }

  #excess(): string {
    const [first = ""] = this.args.slice(this.registeredArguments.length);
    if (this.#advice.hint !== undefined) return "";
    const unquoted = this.#unquoted(first);
    if (unquoted !== "") return unquoted;
    const free = this.options.filter(
      (option) => takesValue(option) && this.getOptionValueSource(option.attributeName()) === undefined,
    );
    const freeOf = (names: readonly string[]) =>
      names.flatMap((name) => free.find((one) => wordOf(one) === name) ?? []);
    const looks = LOOKS.filter(({ like }) => like.test(first)).map(({ options }) => freeOf(options));
    const options = [...looks, freeOf(PLACES)].find((some) => some.length > 0) ?? [];
    return meant(options.map(({ long }) => `${long} ${shellWord(first)}`));
  }

  #missing(): string {
    const words = this.#advice.complete?.(this.#behind()) ?? null;
    return words === null ? "" : `Did you mean ${this.#line(words)}?`;
  }

  override help(context?: HelpContext): never;
  override help(change: (help: string) => string): never;
  override help(context?: HelpContext | ((help: string) => string)): never {
    const [first, subject] = this.args;
    const isError = typeof context === "object" && "error" in context && context.error;
    if (isError && first === "help" && subject !== undefined) {
      this.error(`error: unknown command '${subject}'`, { code: "commander.unknownCommand" });
    }
    return super.help(context as HelpContext);
  }

  override error(message: string, options?: ErrorOptions): never {
    const [, word = ""] = /'([^]*)'/.exec(message) ?? [];
    // A value behind = may be a secret.
    const flag = word.replace(/=[^]*/, "");
    const verbs = () => {
      const own = proposedVerbs(word, this.commands.flatMap(namesOf), this.parent !== null);
      return own.length > 0 || this.parent !== null ? own : this.#verbFirst(word);
    };
    const explained: Readonly<Record<string, () => readonly [said: string, advice: string]>> = {
      "commander.unknownCommand": () => [`error: unknown command '${word}'`, meant(verbs())],
      "commander.unknownOption": () => [`error: unknown option '${flag}'`, this.#unknownOption(flag)],
      "commander.excessArguments": () => [`error: too many arguments: expected ${this.#form()}`, this.#excess()],
      "commander.missingArgument": () => [message, this.#missing()],
    };
    const [said, advice] = explained[options?.code ?? ""]?.() ?? [message, ""];
    const { hint = "" } = this.#advice;
    const notes = [advice, hint].filter((text) => text !== "").map((text) => `\n(${text})`);
    return super.error(said + notes.join(""), options);
  }
}

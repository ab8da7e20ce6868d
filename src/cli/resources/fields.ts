// The flags of a command, from the members of its operation's query and body.
import { Option } from "commander";
import type { Endpoint } from "../../platform/kernel/contract.ts";
import { Failure } from "../../platform/outcomes/failure.ts";
import { ListOption } from "../list-option.ts";
import { NoneOption } from "../none-option.ts";
import { PlaceOption } from "../place-options.ts";
import { isTime } from "../../platform/kernel/units.ts";
import { TIME_FORMS, readTime } from "../times.ts";
import type { Direction } from "../times.ts";

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly description?: string;
}

/** A member that can be given on the command line. */
export interface Field {
  readonly name: string;
  readonly place: "query" | "body";
  /** Without the dashes. */
  readonly flag: string;
  readonly kind: "text" | "number" | "boolean" | "list" | "time";
  readonly choices: readonly string[];
  readonly help: string;
  readonly isRequired: boolean;
  /** A text that null takes the place of: '' on the command line. */
  readonly isNullable: boolean;
  /** It names the project that a call is about, and is no filter. */
  readonly isPlace: boolean;
}

/** Members of queries that the command line has in a form of its own: `--limit`, `--all` and `--team`. */
const PAGING = ["limit", "next", "before", "after", "offset", "cursor", "form", "teamId", "slug"];
const FLAG_NAMES: Readonly<Record<string, string>> = { projectId: "project", expiresAt: "expires" };

function flagOf(name: string): string {
  return FLAG_NAMES[name] ?? name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function typesOf({ type, anyOf = [] }: Schema): readonly string[] {
  return type === undefined ? anyOf.flatMap(typesOf) : [type].flat();
}

/** What people filter what was by. Other times are to come. */
const FILTERS = ["since", "until"];
const BACK = [...FILTERS, "startTimestamp", "endTimestamp"];
const directionOf = (name: string): Direction => (BACK.includes(name) ? "back" : "ahead");

/** Null: it takes more than a word, and is given with --input. */
function kindOf(name: string, schema: Schema): Field["kind"] | null {
  const types = typesOf(schema).filter((type) => type !== "null");
  if (FILTERS.includes(name) && types.includes("string")) return "time";
  if (types.length !== 1) return types.includes("string") && types.includes("integer") ? "text" : null;
  const [type] = types;
  if (type === "string" || type === "boolean") return type === "string" ? "text" : "boolean";
  if (type === "integer" || type === "number") return isTime(schema) ? "time" : "number";
  return type === "array" && schema.items !== undefined && typesOf(schema.items).join() === "string" ? "list" : null;
}

function firstSentence(text: string): string {
  const line = text.replace(/\s+/g, " ");
  // A full stop between backticks ends no sentence.
  const first = /^.*?[.;](?=\s|$)/.exec(line)?.[0] ?? line;
  return first.replace(/[.;]$/, "").replaceAll("`", "");
}

/** A time is given as people write it, and not in ms as the API takes it. */
function helpOfTime(name: string, help: string, schema: Schema): string {
  const rest = help.replace(/^ms(?:, in the future| since the epoch)?(?:: )?/, "").replace(/ \(ms[^)]*\)/, "");
  const never = typesOf(schema).includes("null") ? ", or never" : "";
  return `${TIME_FORMS[directionOf(name)]}${never}${rest && `: ${rest}`}`;
}

function fieldOf(name: string, schema: Schema, place: Field["place"], isRequired: boolean): readonly Field[] {
  const kind = kindOf(name, schema);
  // A number is a cursor of pages, a text is a time that people filter by.
  const isCursor = FILTERS.includes(name) && !typesOf(schema).includes("string");
  if (kind === null || (place === "query" && (PAGING.includes(name) || isCursor))) return [];
  const choices = (schema.enum ?? schema.items?.enum ?? []).filter((one) => typeof one === "string");
  const sentence = firstSentence(schema.description ?? "");
  const help = kind === "time" ? helpOfTime(name, sentence, schema) : sentence;
  const isNullable = kind === "text" && place === "body" && typesOf(schema).includes("null");
  // Elsewhere a project is a filter, and absent ones mean all.
  const isPlace = name === "projectId" && place === "query" && schema.description?.includes("by default") === true;
  return [{ name, place, flag: flagOf(name), kind, choices, help, isRequired, isNullable, isPlace }];
}

/** The fields of an operation, those of the query first. */
export function fieldsOf({ query, body }: Endpoint): readonly Field[] {
  const { properties = {}, required = [] } = (body ?? {}) as Schema;
  const inQuery = Object.entries((query?.properties ?? {}) as Readonly<Record<string, Schema>>);
  const fields = [
    ...inQuery.flatMap(([name, schema]) => fieldOf(name, schema, "query", false)),
    ...Object.entries(properties).flatMap(([name, schema]) => fieldOf(name, schema, "body", required.includes(name))),
  ];
  return fields.filter(({ flag }, at) => fields.findIndex((other) => other.flag === flag) === at);
}

const collect = (text: string, before: readonly string[] | undefined): readonly string[] => [
  ...(before ?? []),
  ...text.split(",").map((one) => one.trim()),
];

/** The options of commander for a field. */
export function optionsOf({ flag, kind, choices, help, isRequired, isNullable, isPlace }: Field): readonly Option[] {
  const list = choices.length > 0 && choices.length <= 12 ? ` (${choices.join(", ")})` : "";
  const needed = `${isNullable ? " ('' for none)" : ""}${isRequired ? " (required)" : ""}`;
  const text = `${help || flag.replaceAll("-", " ")}${list}${needed}`;
  if (kind === "boolean") return [new Option(`--${flag}`, text), new Option(`--no-${flag}`).hideHelp()];
  if (kind === "list") {
    return [new ListOption(`--${flag} <values>`, `${text}; several with commas`, choices).argParser(collect)];
  }
  if (isPlace) return [new PlaceOption("project", text)];
  if (isNullable) return [new NoneOption(`--${flag} <text>`, text)];
  return [new Option(`--${flag} <${kind === "time" ? "when" : kind === "number" ? "number" : "text"}>`, text)];
}

/** The value of a field as the API takes it. */
export function readValue(field: Field, given: unknown, by = `--${field.flag}`): unknown {
  const { name, place, kind, choices, help, isNullable } = field;
  if (isNullable && given === "") return null;
  if (kind === "time") {
    if (given === "never" && isNullable) return null;
    const time = readTime(String(given), by, directionOf(name));
    if (place === "query" || directionOf(name) === "back" || time > Date.now()) return time;
    throw new Failure(
      "usage",
      `${by}: expected a time in the future, such as 30d or 2030-01-31, got "${String(given)}"`,
    );
  }
  if (kind === "number") {
    const number = Number(given);
    if (String(given).trim() !== "" && Number.isFinite(number)) return number;
    throw new Failure(
      "usage",
      `${by}: expected a number${help.startsWith("ms ") ? ` (${help})` : ""}, got "${String(given)}"`,
    );
  }
  const wrong = kind === "boolean" ? undefined : [given].flat().find((one) => !choices.includes(String(one)));
  if (choices.length > 0 && wrong !== undefined) {
    throw new Failure("usage", `${by}: expected ${choices.join(", ")}, got ${JSON.stringify(wrong)}`);
  }
  return given;
}

/** The name under which commander keeps an option: `--max-uses` is `maxUses`. */
export function optionName(flag: string): string {
  return flag.replace(/-([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The members of what an operation returns, by name, with whether each is a time. */
export function membersOf(schema: unknown): Readonly<Record<string, { readonly isTime: boolean }>> {
  const { properties = {}, anyOf = [] } = (schema ?? {}) as Schema;
  const own = Object.entries(properties).map(([name, one]) => {
    const isNumber = typesOf(one).some((type) => type === "integer" || type === "number");
    return [name, { isTime: isNumber && /(?:At|Until|Since|created)$/.test(name) }] as const;
  });
  return Object.assign({}, ...anyOf.map(membersOf), Object.fromEntries(own)) as ReturnType<typeof membersOf>;
}

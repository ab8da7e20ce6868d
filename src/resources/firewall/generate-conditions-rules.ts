// Reads which requests a sentence is about: groups of conditions, or the words that were not understood.
import type { Condition, ConditionGroup, Operator } from "../../evaluator/config.ts";
import { parseNetwork } from "../../kernel/network.ts";
import { EVERYTHING, FILLERS, NEGATIONS, OPERATIONS, SUBJECTS, findPhrase } from "./generate-words-rules.ts";
import type { Subject, Word } from "./generate-words-rules.ts";

/** A sentence cannot be read; the message says which words. */
export class NotUnderstood extends Error {}

/** A condition with the values of a list. */
interface Clause {
  readonly subject: Subject;
  readonly op: Operator;
  readonly neg: boolean;
  readonly key?: string;
  readonly values: string[];
}

const METHODS: ReadonlySet<string> = new Set("GET HEAD POST DELETE PATCH PUT CONNECT OPTIONS TRACE".split(" "));
const BY_TYPE = new Map(SUBJECTS.map(([, subject]) => [subject.type, subject]));
const subjectOf = (type: Subject["type"]) => BY_TYPE.get(type) as Subject;

interface Place {
  readonly type: "geo_country" | "geo_continent";
  readonly code: string;
}

const CONTINENTS = {
  africa: "AF",
  antarctica: "AN",
  asia: "AS",
  europe: "EU",
  "north america": "NA",
  oceania: "OC",
  "south america": "SA",
};
const MORE_COUNTRIES = { usa: "US", uk: "GB", britain: "GB", turkey: "TR", "czech republic": "CZ" };

let places: ReadonlyMap<string, Place> | undefined;

/** Countries and continents by their names, as English has them. */
function placeNames(): ReadonlyMap<string, Place> {
  if (places) return places;
  const names = new Intl.DisplayNames(["en"], { type: "region", fallback: "none" });
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ".split("");
  const codes = letters.flatMap((one) => letters.map((other) => one + other));
  const found = codes.flatMap((code): [string, string][] => {
    const name = names.of(code);
    const isPresent = new Intl.Locale("und", { region: code }).region === code;
    return name === undefined || !isPresent ? [] : [[name.toLowerCase(), code]];
  });
  const placesOf = (type: Place["type"], entries: readonly (readonly [string, string])[]) =>
    entries.map(([name, code]): [string, Place] => [name, { type, code }]);
  places = new Map([
    ...placesOf("geo_country", [...found, ...Object.entries(MORE_COUNTRIES)]),
    ...placesOf("geo_continent", Object.entries(CONTINENTS)),
  ]);
  return places;
}

/** The place that the words from `at` on name. */
function findPlace(words: readonly Word[], at: number): { readonly place: Place; readonly length: number } | undefined {
  for (let length = 4; length > 0; length--) {
    const name = words.slice(at, at + length).map(({ lower }) => lower);
    const place = name.length === length ? placeNames().get(name.join(" ")) : undefined;
    if (place) return { place, length };
  }
  return undefined;
}

/** What a value is about that stands alone. */
function subjectOfValue({ text, isQuoted }: Word): Subject | undefined {
  if (isQuoted) return undefined;
  if (text.startsWith("/")) return subjectOf("path");
  if (parseNetwork(text)) return subjectOf("ip_address");
  if (METHODS.has(text)) return subjectOf("method");
  if (/^AS\d+$/.test(text)) return subjectOf("geo_as_number");
  if (/^[A-Z]{2}$/.test(text)) return subjectOf("geo_country");
  if (/^(?:[a-z0-9-]+\.)+[a-z]{2,}$/i.test(text)) return subjectOf("host");
  return undefined;
}

const isComma = ({ text, isQuoted }: Word) => !isQuoted && (text === "," || text === ";");

/** Reads words one after the other. */
class Reader {
  readonly #words: readonly Word[];
  readonly #usualPath: Operator;
  #at = 0;
  #meansAll = false;
  #inException = false;
  readonly #groups: Clause[][] = [[]];

  constructor(words: readonly Word[], usualPath: Operator) {
    this.#words = words;
    this.#usualPath = usualPath;
  }

  read(): { readonly groups: readonly (readonly Clause[])[]; readonly meansAll: boolean } {
    let joint: "and" | "or" | null = null;
    while (this.#at < this.#words.length) {
      const word = this.#words[this.#at] as Word;
      if (isComma(word) || (!word.isQuoted && ["and", "but", "both", "or"].includes(word.lower))) {
        joint = word.lower === "or" || (joint === "or" && isComma(word)) ? "or" : "and";
        this.#at++;
      } else if (!word.isQuoted && EVERYTHING.has(word.lower)) {
        this.#meansAll = true;
        this.#at++;
      } else if (!this.#continues() && !this.#skipFiller()) {
        this.#clause(joint);
        joint = null;
      }
    }
    return { groups: this.#groups.filter((group) => group.length > 0), meansAll: this.#meansAll };
  }

  #skipFiller(): boolean {
    const word = this.#words[this.#at] as Word;
    // What begins a phrase is no filler: "use" is, "user agent" is not.
    const phrase = findPhrase(SUBJECTS, this.#words, this.#at) ?? findPhrase(NEGATIONS, this.#words, this.#at);
    if (phrase || word.isQuoted || !FILLERS.has(word.lower)) return false;
    this.#at++;
    return true;
  }

  /** One more value of the clause before: `countries DE, FR and IT`. */
  #continues(): boolean {
    const last = this.#groups.at(-1)?.at(-1);
    if (!last || last.values.length === 0 || findPhrase(SUBJECTS, this.#words, this.#at)) return false;
    const code = this.#place(last.subject.type);
    if (code !== undefined) {
      last.values.push(code);
      return true;
    }
    const word = this.#words[this.#at] as Word;
    const isJoined = this.#at > 0 && this.#isJoint(this.#words[this.#at - 1] as Word);
    const subject = subjectOfValue(word);
    const fits = subject ? subject.type === last.subject.type : word.isQuoted || !this.#isKnown();
    if (!isJoined || !fits) return false;
    last.values.push(this.#value(last.subject));
    return true;
  }

  #isJoint(word: Word): boolean {
    return isComma(word) || (!word.isQuoted && (word.lower === "and" || word.lower === "or"));
  }

  #isKnown(): boolean {
    const { lower } = this.#words[this.#at] as Word;
    return FILLERS.has(lower) || EVERYTHING.has(lower) || findPhrase(NEGATIONS, this.#words, this.#at) !== undefined;
  }

  /** The code of a place that is named, when it is of this kind. */
  #place(type: Subject["type"]): string | undefined {
    const found = findPlace(this.#words, this.#at);
    if (found?.place.type !== type) return undefined;
    this.#at += found.length;
    return found.place.code;
  }

  #take<T>(table: readonly (readonly [string, T])[]): T | undefined {
    const found = findPhrase(table, this.#words, this.#at);
    if (found) this.#at += found.length;
    return found?.meaning;
  }

  #skipFillers(): void {
    while (this.#at < this.#words.length && this.#skipFiller());
  }

  #value(subject: Subject): string {
    const word = this.#words[this.#at];
    if (!word || isComma(word)) throw new NotUnderstood(`no value for ${subject.type}`);
    const code = this.#place(subject.type);
    if (code !== undefined) return code;
    this.#at++;
    if (subject.type === "geo_country" || subject.type === "geo_continent" || subject.type === "method") {
      return word.text.toUpperCase();
    }
    if (subject.type === "geo_as_number") return word.text.replace(/^AS(?=\d)/i, "");
    // `/admin/*` is what lies below.
    return subject.type === "path" && !word.isQuoted ? word.text.replace(/\*$/, "") : word.text;
  }

  /** One condition: what it is about, how it compares, and a value. */
  #clause(joint: "and" | "or" | null): void {
    const negation = this.#take(NEGATIONS);
    this.#skipFillers();
    const named = this.#take(SUBJECTS);
    const next = this.#words[this.#at];
    const subject = named ?? (next && (this.#placeSubject() ?? subjectOfValue(next)));
    if (!subject) throw new NotUnderstood(next ? `"${next.text.slice(0, 60)}"` : "the end");
    const key = subject.hasKey ? this.#value(subject) : undefined;
    const inner = this.#take(NEGATIONS);
    this.#skipFillers();
    const stated = this.#take(OPERATIONS) ?? (inner === "is not" ? "eq" : undefined);
    const neg = [negation, inner, this.#take(NEGATIONS)].some((one) => one !== undefined);
    this.#skipFillers();
    const op = stated === "eq" ? (this.#take(OPERATIONS) ?? "eq") : (stated ?? this.#usualOf(subject));
    const values = op === "ex" ? [] : [this.#value(subject)];
    if (joint && this.#inException && !neg) {
      throw new NotUnderstood('whether the exception goes on: write "not" before each condition');
    }
    this.#inException = negation === "except";
    this.#add({ subject, op, neg, values, ...(key !== undefined && { key }) }, joint);
  }

  #add(clause: Clause, joint: "and" | "or" | null): void {
    const group = this.#groups.at(-1) as Clause[];
    const last = group.at(-1);
    // No request has two paths: `path /a and path /b` are both meant.
    const isList =
      joint === "and" &&
      last?.subject === clause.subject &&
      last.op === clause.op &&
      last.neg === clause.neg &&
      clause.key === undefined &&
      (clause.op === "eq" || clause.op === "pre");
    if (isList) last.values.push(...clause.values);
    else if (joint === "or" && group.length > 0) this.#groups.push([clause]);
    else group.push(clause);
  }

  #placeSubject(): Subject | undefined {
    const found = findPlace(this.#words, this.#at);
    return found && subjectOf(found.place.type);
  }

  #usualOf({ type, usual }: Subject): Operator {
    return type === "path" ? this.#usualPath : usual;
  }
}

/** `*.example.com` is what ends so. */
function withWildcard(clause: Clause): Clause {
  const { subject, op, values } = clause;
  if (subject.type !== "host" || op !== "eq" || !values.every((value) => value.startsWith("*."))) return clause;
  return { ...clause, op: "suf", values: values.map((value) => value.slice(1)) };
}

function conditionOf(
  { subject: { type }, op, neg, key }: Clause,
  value: string | readonly string[] | undefined,
): Condition {
  return {
    type,
    op: typeof value === "object" ? "inc" : op,
    ...(neg && { neg }),
    ...(key !== undefined && { key }),
    ...(value !== undefined && { value }),
  };
}

/** The ways in which a clause may hold, each as conditions that have to hold together. */
function waysOf(clause: Clause): Condition[][] {
  const { op, neg, values } = clause;
  if (values.length < 2) return [[conditionOf(clause, values[0])]];
  if (op === "eq") return [[conditionOf(clause, values)]];
  const each = values.map((value) => conditionOf(clause, value));
  return neg ? [each] : each.map((condition) => [condition]);
}

const ALL: Condition = { type: "path", op: "pre", value: "/" };

/** The conditions that the words say, in groups of which one has to hold; throws NotUnderstood. */
export function readConditions(words: readonly Word[], usualPath: Operator): ConditionGroup[] {
  const { groups, meansAll } = new Reader(words, usualPath).read();
  if (groups.length === 0 && meansAll) return [{ conditions: [ALL] }];
  if (groups.length === 0) throw new NotUnderstood("which requests are meant");
  return groups.flatMap((clauses) => {
    const ways = clauses
      .map(withWildcard)
      .reduce<Condition[][]>(
        (all, clause) => all.flatMap((before) => waysOf(clause).map((way) => [...before, ...way])).slice(0, 100),
        [[]],
      );
    return ways.map((conditions) => ({ conditions }));
  });
}

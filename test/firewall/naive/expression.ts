// Translates RE2 expressions to JavaScript: only the syntax that the tests use. Each letter becomes a class of all its cases,
// since JavaScript's case folding would affect \b too, and its flags for parts of an expression leak into what follows.

const WORD = "[0-9A-Za-z_]";
const CLASSES: Readonly<Record<string, string>> = { s: "\\t\\n\\f\\r ", d: "0-9", w: "0-9A-Za-z_" };
const CONTROLS: Readonly<Record<string, string>> = { t: "\t", n: "\n", r: "\r", f: "\f", v: "\v", a: "\u0007" };
const ASSERTIONS: Readonly<Record<string, string>> = {
  b: `(?:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`,
  B: `(?:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`,
  A: "^",
  z: "$",
};

/** For each letter, all letters that equal it by Unicode's simple case folding. */
function findCases(): ReadonlyMap<string, ReadonlySet<string>> {
  const cases = new Map<string, Set<string>>();
  for (let code = 0; code < 0x1_0000; code++) {
    if (code >= 0xd800 && code < 0xe000) continue;
    const letter = String.fromCharCode(code);
    for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
      if (other === letter || other.length !== 1 || !new RegExp(`^\\u{${code.toString(16)}}$`, "iu").test(other))
        continue;
      const all = new Set([letter, other, ...(cases.get(letter) ?? []), ...(cases.get(other) ?? [])]);
      for (const each of all) cases.set(each, all);
    }
  }
  return cases;
}

const CASES = findCases();

function written(letter: string): string {
  return `\\u{${(letter.codePointAt(0) as number).toString(16)}}`;
}

const classes = new Map<string, string>();

/** The members of a class in all their cases. */
function withCases(inside: string): string {
  let all = classes.get(inside);
  if (all === undefined) {
    const plain = new RegExp(`^[${inside}]$`, "u");
    const added = Array.from(CASES).filter(([, cases]) => Array.from(cases).some((letter) => plain.test(letter)));
    all = inside + added.map(([letter]) => written(letter)).join("");
    classes.set(inside, all);
  }
  return all;
}

interface Reader {
  readonly source: string;
  readonly isFolded: boolean;
  at: number;
}

/** The letter that follows a backslash; undefined when the escape stands for more than one letter. */
function readLetter(reader: Reader): string | undefined {
  const { source } = reader;
  const letter = source[reader.at] as string;
  if (letter === "x") {
    const [whole, digits, braced] = /^x(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(source.slice(reader.at)) ?? [];
    if (whole === undefined) throw new Error(`no digits in ${source}`);
    reader.at += whole.length;
    return String.fromCodePoint(Number.parseInt((digits ?? braced) as string, 16));
  }
  if (Object.hasOwn(CONTROLS, letter)) {
    reader.at++;
    return CONTROLS[letter];
  }
  if (/[0-9A-Za-z]/.test(letter)) return undefined;
  reader.at++;
  return letter;
}

function readClass(reader: Reader): string {
  const { source } = reader;
  const isNegated = source[reader.at] === "^";
  if (isNegated) reader.at++;
  let inside = "";
  for (let isFirst = true; isFirst || source[reader.at] !== "]"; isFirst = false) {
    const letter = source[reader.at++] as string;
    if (letter !== "\\") {
      inside += letter === "-" ? "-" : written(letter);
      continue;
    }
    const escaped = readLetter(reader);
    const set = escaped === undefined ? CLASSES[source[reader.at++] as string] : written(escaped);
    if (set === undefined) throw new Error(`a class that is not known here: ${source}`);
    inside += set;
  }
  reader.at++;
  // A hyphen at either end stands for itself.
  inside = inside.replace(/^-|-$/g, "\\-");
  return `[${isNegated ? "^" : ""}${reader.isFolded ? withCases(inside) : inside}]`;
}

function readEscape(reader: Reader): string {
  const letter = readLetter(reader);
  if (letter !== undefined) return readPlain(letter, reader);
  const name = reader.source[reader.at++] as string;
  if (Object.hasOwn(ASSERTIONS, name)) return ASSERTIONS[name] as string;
  const set = CLASSES[name.toLowerCase()];
  if (set === undefined) throw new Error(`an escape that is not known here: ${reader.source}`);
  return `[${name === name.toLowerCase() ? "" : "^"}${reader.isFolded ? withCases(set) : set}]`;
}

function readPlain(letter: string, { isFolded }: Reader): string {
  const cases = isFolded ? CASES.get(letter) : undefined;
  return cases ? `[${Array.from(cases, written).join("")}]` : written(letter);
}

function translate(reader: Reader): string {
  const { source } = reader;
  let output = "";
  while (reader.at < source.length) {
    const rest = source.slice(reader.at);
    const syntax = /^(?:\(\?:|\(\?P<\w+>|[()|*+?^$]|\{[0-9]+(?:,[0-9]*)?\})/.exec(rest)?.[0];
    if (syntax === "(" && rest.startsWith("(?")) throw new Error(`a group that is not known here: ${source}`);
    if (syntax !== undefined) {
      output += syntax.startsWith("(?P") ? "(?:" : syntax;
      reader.at += syntax.length;
      continue;
    }
    const letter = String.fromCodePoint(rest.codePointAt(0) as number);
    reader.at += letter.length;
    if (letter === "\\") output += readEscape(reader);
    else if (letter === "[") output += readClass(reader);
    else output += letter === "." ? "[^\\n]" : readPlain(letter, reader);
  }
  return output;
}

const compiled = new Map<string, RegExp>();

/** Ignores case unless the source begins with `(?-i)`. */
export function expressionOf(source: string): RegExp {
  let expression = compiled.get(source);
  if (!expression) {
    const flags = /^\(\?(-?i)\)/.exec(source);
    const reader = { source, isFolded: flags?.[1] !== "-i", at: flags ? flags[0].length : 0 };
    expression = new RegExp(translate(reader), "u");
    compiled.set(source, expression);
  }
  return expression;
}

// Expressions of RE2 in the words of JavaScript, where the two differ: only what the tests and the managed sets use.

const WORD = "[0-9A-Za-z_]";
const CLASSES: Readonly<Record<string, string>> = { s: "\\t\\n\\f\\r ", d: "0-9", w: "0-9A-Za-z_" };
const SYNTAX = "^$\\.*+?()[]{}|/";

/** A `\x` and the text that means the same; `isInClass` between brackets. */
function translateEscape(letter: string, isInClass: boolean): string {
  const set = CLASSES[letter.toLowerCase()];
  if (set !== undefined && letter === letter.toLowerCase()) return isInClass ? set : `[${set}]`;
  if (set !== undefined && !isInClass) return `[^${set}]`;
  if (letter === "b" && !isInClass) return `(?-i:(?<=${WORD})(?!${WORD})|(?<!${WORD})(?=${WORD}))`;
  if (letter === "B" && !isInClass) return `(?-i:(?<=${WORD})(?=${WORD})|(?<!${WORD})(?!${WORD}))`;
  if (letter === "A") return "^";
  if (letter === "z") return "$";
  if (letter === "a") return "\\x07";
  if (/[0-9A-Za-z]/.test(letter) || SYNTAX.includes(letter) || (isInClass && letter === "-")) return `\\${letter}`;
  return letter;
}

function translate(source: string): string {
  let output = "";
  let isInClass = false;
  for (let at = 0; at < source.length; at++) {
    const letter = source[at] as string;
    if (letter === "\\") {
      output += translateEscape(source[++at] as string, isInClass);
    } else if (isInClass) {
      output += letter === "[" ? "\\[" : letter;
      if (letter === "]") isInClass = false;
    } else if (letter === "[") {
      isInClass = true;
      output += letter;
      if (source[at + 1] === "^") output += source[++at];
      if (source[at + 1] === "]") output += `\\${source[++at]}`;
    } else if (letter === ".") {
      output += "[^\\n]";
    } else if (letter === "]" || letter === "}") {
      output += `\\${letter}`;
    } else if (letter === "{") {
      const count = /^\{[0-9]+(?:,[0-9]*)?\}/.exec(source.slice(at))?.[0];
      output += count ?? "\\{";
      if (count !== undefined) at += count.length - 1;
    } else {
      output += letter;
    }
  }
  return output.replaceAll("(?P<", "(?<");
}

const compiled = new Map<string, RegExp>();

/** Without regard to case, unless the source begins with `(?-i)`. */
export function expressionOf(source: string): RegExp {
  let expression = compiled.get(source);
  if (!expression) {
    const flags = /^\(\?(-?i)\)/.exec(source);
    expression = new RegExp(
      translate(flags ? source.slice(flags[0].length) : source),
      flags?.[1] === "-i" ? "u" : "iu",
    );
    compiled.set(source, expression);
  }
  return expression;
}

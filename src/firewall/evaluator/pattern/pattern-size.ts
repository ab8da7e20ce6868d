// Estimates from the text of an expression how large its compiled program will be. An expression that would be too large
// is rejected before it is compiled, since unrolling `(?:...){1000}` takes long.

const REPEAT = /\{(\d{1,4})(?:,(\d{0,4}))?\}/y;

/** The index after the class that begins with `[` at `at`. */
export function classEnd(text: string, at: number): number {
  let to = at + 1;
  if (text[to] === "^") to++;
  // A `]` in the first position is a member of the class.
  if (text[to] === "]") to++;
  while (to < text.length && text[to] !== "]") {
    const nested = text.startsWith("[:", to) ? text.indexOf(":]", to + 2) : -1;
    if (nested >= 0) to = nested + 2;
    else to += text[to] === "\\" ? 2 : 1;
  }
  return to + 1;
}

/** The index after the escape that begins at `at`, such as `\\d`, `\\p{Greek}` or `\\x{10ffff}`. */
function escapeEnd(text: string, at: number): number {
  if (text[at + 2] === "{" && "pPx".includes(text[at + 1] as string)) {
    const end = text.indexOf("}", at);
    return end < 0 ? text.length : end + 1;
  }
  return at + 2;
}

/**
 * The approximate number of instructions: one per character, class and operator, times the repetitions around it. Accepts
 * any text, and takes time linear in its length.
 */
export function estimateSize(text: string): number {
  const outer: number[] = [];
  let group = 0;
  // The size of the last item, which a repetition would repeat.
  let last = 0;
  const add = (size: number) => {
    group += size;
    last = size;
  };
  for (let at = 0; at < text.length;) {
    const char = text[at] as string;
    REPEAT.lastIndex = at;
    const repeat = char === "{" ? REPEAT.exec(text) : null;
    if (repeat) {
      const times = Math.max(Number(repeat[1]), Number(repeat[2] ?? 0), 1);
      group += last * (times - 1);
      last *= times;
      at = REPEAT.lastIndex;
    } else if (text.startsWith("\\Q", at)) {
      const end = text.indexOf("\\E", at);
      add((end < 0 ? text.length : end) - at - 1);
      at = end < 0 ? text.length : end + 2;
    } else if (char === "\\") {
      add(1);
      at = escapeEnd(text, at);
    } else if (char === "[") {
      add(1);
      at = classEnd(text, at);
    } else if (char === "(") {
      outer.push(group);
      group = 0;
      last = 0;
      at++;
    } else if (char === ")") {
      last = group;
      group += outer.pop() ?? 0;
      at++;
    } else {
      add(1);
      at++;
    }
  }
  return outer.reduce((sum, size) => sum + size, group);
}

/** A class by a Unicode name is one instruction, but it is built from thousands of characters. */
const NAMED_CLASS_SIZE = 50;
/** Characters of a range per unit: the compiler folds the case of each. */
const RANGE_SHARE = 64;
/** Characters outside this range have no other case. */
const FIRST_WITH_CASE = 0x41;
const LAST_WITH_CASE = 0x1e943;
const CLASS_ITEM = /\\x\{(?<long>[\da-f]+)\}|\\x(?<short>[\da-f]{2})|\\(?<octal>[0-7]{1,3})|\[:\^?\w+:\]|\\[^]|[^]/iuy;

/** The code point of one character of a class, whether it is escaped or not. */
function codePointOf({ 0: text, groups: { long, short, octal } = {} }: RegExpExecArray): number {
  const hexadecimal = long ?? short;
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return (text.startsWith("\\") ? text.slice(1) : text).codePointAt(0) as number;
}

function spanOf(from: number, to: number): number {
  return Math.max(0, Math.min(to, LAST_WITH_CASE) - Math.max(from, FIRST_WITH_CASE));
}

/**
 * The cost of compiling the classes of an expression, in the unit of its size. Each class is a single instruction, but a
 * class of many characters takes long to compile. Accepts any text, and takes time linear in its length.
 */
export function classesSize(text: string): number {
  let size = NAMED_CLASS_SIZE * (text.match(/\\p/gi)?.length ?? 0);
  // Text that looks like a range is counted even outside a class.
  let before: number | undefined;
  for (let at = 0; at < text.length;) {
    CLASS_ITEM.lastIndex = at;
    const item = CLASS_ITEM.exec(text) as RegExpExecArray;
    at = CLASS_ITEM.lastIndex;
    const last = item[0] === "-" && before !== undefined ? CLASS_ITEM.exec(text) : null;
    if (last) size += spanOf(before as number, codePointOf(last)) / RANGE_SHARE;
    before = codePointOf(item);
  }
  return Math.floor(size);
}

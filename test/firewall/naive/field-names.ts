// The names of a field, written from the table of docs/firewall.md: a reading is a list of keys, of which the first is the beginning.

const isDigits = (key: string) => /^[0-9]+$/.test(key.replace(/^-/, ""));

/** Every way to leave keys of digits out. */
function joined([first = "", ...keys]: readonly string[]): string[] {
  const named = keys.filter((key) => key !== "");
  const digits = named.filter(isDigits).length;
  const subsets =
    digits > 4 || [first, ...named].join(".").length > 512
      ? [0, 2 ** digits - 1]
      : Array.from({ length: 2 ** digits }, (_, at) => at);
  return subsets.map((subset) => {
    let bit = 0;
    const kept = named.filter((key) => !isDigits(key) || Math.floor(subset / 2 ** bit++) % 2 === 1);
    return [...(first === "" ? [] : [first]), ...kept].join(".");
  });
}

const asUnderscores = (text: string) => text.split(/[ .[]/).join("_");

function phpReadings(sent: string): string[][] {
  const name = sent.replace(/\0[^]*/, "").replace(/^ */, "");
  const [, parent = "", adjacent = ""] = /^([^[]*)((?:\[[^\]]*\])*)/.exec(name) ?? [];
  if (adjacent === "") return name === sent ? [[asUnderscores(name)]] : [[asUnderscores(name)], [name]];
  const keys = adjacent
    .slice(1, -1)
    .split(/\](?=\[)/)
    .map((key, at) => (at === 0 ? key : key.slice(1)))
    .map((key) => (/^\s$/.test(key) ? "" : key));
  return [
    [asUnderscores(parent), ...keys],
    [parent, ...keys],
  ];
}

/** The texts between brackets, of which the last may have one bracket behind it. */
function rackReading(name: string): string[] {
  const texts = name.split(/[[\]]+/).filter((text) => text !== "");
  return /[^[\]]\]*\[$/.test(name) ? [...texts.slice(0, -1), lastRackKey(name)] : texts;
}

/** The last key of Rack with all brackets that belong to it: those of the key before end with its `]`, and `[]` is a list. */
function lastRackKey(name: string): string {
  let rest = name;
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst && rest.startsWith("[]")) rest = rest.slice(2);
    const behind = rest.replace(/^[[\]]*[^[\]]+\]*/, "");
    if (behind === "[") return rest;
    rest = behind;
  }
}

interface Key {
  readonly text: string;
  readonly rest: string;
}

/** With all keys, and with five of them and the rest. */
function deep(parent: string, keys: readonly Key[]): string[][] {
  const all = [parent, ...keys.map(({ text }) => text)];
  return keys.length > 5 ? [all, [...all.slice(0, 6), keys[5]?.rest ?? ""]] : keys.length > 0 ? [all] : [];
}

/** The keys in pairs of brackets; each with all that follows from its bracket on. */
function balancedKeys(rest: string): Key[] {
  const open = rest.indexOf("[");
  if (open < 0) return [];
  const from = rest.slice(open);
  let level = 0;
  const end = from.split("").findIndex((one) => {
    if (one === "[") level++;
    if (one === "]") level--;
    return level === 0;
  });
  if (end < 0) return [{ text: from, rest: from }];
  return [{ text: from.slice(1, end), rest: from }, ...balancedKeys(from.slice(end + 1))];
}

function qsReadings(name: string): string[][] {
  const simple = [...name.matchAll(/\[[^[\]]*\]/g)];
  const older = simple.map(({ 0: text, index }) => ({ text: text.slice(1, -1), rest: name.slice(index) }));
  return [
    ...deep(name.split("[", 1)[0] as string, balancedKeys(name)),
    ...deep(name.slice(0, simple[0]?.index ?? 0), older),
  ];
}

function springReading(name: string): string[] {
  if (!name.includes("].")) return [];
  const parts = name.split(/(\[[^[\]]*\])/);
  const kept = parts.map((part, at) =>
    at % 2 === 0 ? part : part === "[]" || /^\[[0-9]+\]$/.test(part) ? "" : `.${part.slice(1, -1)}`,
  );
  return [kept.join("").replace(/^\./, "")];
}

/** All names, the one that was sent first. */
export function namesOfField(name: string): string[] {
  if (!/[[\] .\0]/.test(name)) return [name];
  const readings = [...phpReadings(name)];
  if (/[[\]]/.test(name)) readings.push(rackReading(name), ...qsReadings(name));
  const rack = readings.filter((keys) => keys.length > 0).flatMap(joined);
  return [...new Set([name, ...rack, ...springReading(name)])];
}

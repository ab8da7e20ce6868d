// The names that applications give a field of a form, a query or a cookie: qs, PHP, Rack and Spring unfold brackets in different ways.
// docs/firewall.md has the table.
import { countCharacters } from "../time-limit.ts";

/** A name without these has no other one. */
const UNUSUAL = /[[\] .\0]/;
/** `a[b][c]`, which everybody unfolds alike. */
const PLAIN = /^[^[\] .\0]+(?:\[[^[\]\s\0]*\])+$/;
/** With more keys than qs takes. */
const DEEP = /(?:\[[^[]*){6}/;
const BRACKETS = /\]?\[/;
const GROUP = /\[([^[\]]*)\]/g;
/** What Rack takes for one segment. */
const RACK_SEGMENT = /[[\]]*([^[\]]+)\]*/y;
/** Beyond so many, qs takes the rest of a name for one key. */
const QS_DEPTH = 5;
const DIGITS = /^-?\d+$/;
/** With more keys of digits, or a longer name, all of them are items or none is. */
const MAX_CHOICES = 4;
const MAX_LENGTH = 512;

type Segments = readonly string[];

/** A segment takes as long as so many characters. */
const CHARACTERS_OF_SEGMENT = 16;

function join(segments: Segments): string {
  return (segments.includes("") ? segments.filter((segment) => segment !== "") : segments).join(".");
}

/** A key of digits may be an item of a list, which has the name of the list, or a member. An empty one is an item. */
function addPaths(names: Set<string>, segments: Segments): void {
  countCharacters(segments.length * CHARACTERS_OF_SEGMENT);
  const digits: number[] = [];
  for (let at = 1; at < segments.length; at++) if (DIGITS.test(segments[at] as string)) digits.push(at);
  if (digits.length === 0) return void names.add(join(segments));
  const all = join(segments);
  if (digits.length > MAX_CHOICES || all.length > MAX_LENGTH) {
    names.add(join(segments.filter((segment, at) => at === 0 || !DIGITS.test(segment))));
    return void names.add(all);
  }
  for (let choice = 0; choice < 2 ** digits.length; choice++) {
    const dropped = new Set(digits.filter((_, bit) => (choice & (1 << bit)) === 0));
    names.add(join(segments.filter((_, at) => !dropped.has(at))));
  }
}

function mangle(name: string): string {
  return name.replaceAll(/[ .[]/g, "_");
}

/** A NUL ends the name, spaces before it are dropped, and what follows the last key is, too. */
function addPhp(names: Set<string>, sent: string): void {
  const name = (sent.split("\0", 1)[0] as string).replace(/^ +/, "");
  const open = name.indexOf("[");
  const keys: string[] = [];
  let at = open;
  while (at >= 0 && name[at] === "[") {
    const close = name.indexOf("]", at + 1);
    if (close < 0) break;
    const key = name.slice(at + 1, close);
    keys.push(/^\s$/.test(key) ? "" : key);
    at = close + 1;
  }
  const parent = keys.length > 0 ? name.slice(0, open) : name;
  addPaths(names, [mangle(parent), ...keys]);
  // Multer keeps the name in front of the keys.
  if (keys.length > 0 || name !== sent) addPaths(names, [parent, ...keys]);
}

/** Brackets separate segments, however they are placed. */
function addRack(names: Set<string>, name: string): void {
  const segments: string[] = [];
  for (let at = 0; at < name.length; at = RACK_SEGMENT.lastIndex) {
    if (at > 0 && name.startsWith("[]", at)) at += 2;
    RACK_SEGMENT.lastIndex = at;
    const [, segment] = RACK_SEGMENT.exec(name) ?? [];
    if (segment === undefined) break;
    // A single bracket at the end belongs to the key before it.
    const isLast = name.length === RACK_SEGMENT.lastIndex + 1 && name.endsWith("[");
    segments.push(isLast ? name.slice(at) : segment);
    if (isLast) break;
  }
  if (segments.length > 0) addPaths(names, segments);
}

interface Group {
  readonly key: string;
  readonly at: number;
}

/** The keys without brackets in them. */
function plainGroups(name: string): readonly Group[] {
  return Array.from(name.matchAll(GROUP), ({ 1: key = "", index: at }) => ({ key, at }));
}

/** With all keys, and with the rest of the name as one key where there are more than qs takes. */
function addKeys(names: Set<string>, name: string, groups: readonly Group[]): void {
  if (groups.length === 0) return;
  const parent = name.slice(0, groups[0]?.at);
  const keys = groups.map(({ key }) => key);
  addPaths(names, [parent, ...keys]);
  const rest = groups[QS_DEPTH];
  if (rest) addPaths(names, [parent, ...keys.slice(0, QS_DEPTH), name.slice(rest.at)]);
}

/** Text between keys is dropped. A key may hold brackets in pairs; one that does not end takes the rest. */
function addQs(names: Set<string>, name: string): void {
  const groups: Group[] = [];
  for (let open = name.indexOf("["); open >= 0;) {
    let depth = 1;
    let close = open + 1;
    for (; close < name.length; close++) {
      if (name[close] === "[") depth++;
      else if (name[close] === "]" && --depth === 0) break;
    }
    groups.push({ key: name.slice(close < name.length ? open + 1 : open, close), at: open });
    open = name.indexOf("[", close);
  }
  addKeys(names, name, groups);
  // Earlier versions take keys without brackets alone.
  addKeys(names, name, plainGroups(name));
}

/** Spring and ASP.NET: `list[0].role` is the member `role` of an item. */
function addDotted(names: Set<string>, name: string): void {
  const dotted = name.replaceAll(GROUP, (_, key: string) => (/^\d*$/.test(key) ? "" : `.${key}`));
  names.add(dotted.startsWith(".") ? dotted.slice(1) : dotted);
}

/** Longer ones of bodies are not read. */
export const MAX_FIELD_NAME = 8_192;

export function hasOtherNames(name: string): boolean {
  return UNUSUAL.test(name);
}

/** All names of a field that has several: first the one that was sent. Takes time linear in its length. */
export function fieldNames(name: string): ReadonlySet<string> {
  countCharacters(name.length);
  const names = new Set([name]);
  if (PLAIN.test(name)) {
    if (DEEP.test(name)) addKeys(names, name, plainGroups(name));
    else addPaths(names, name.slice(0, -1).split(BRACKETS));
  } else {
    addPhp(names, name);
    if (!/[[\]]/.test(name)) return names;
    addRack(names, name);
    addQs(names, name);
    if (name.includes("].")) addDotted(names, name);
  }
  return names;
}

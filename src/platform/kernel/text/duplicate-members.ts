// Finds duplicate members in JSON. Parsers disagree about which one counts, so a proxy that inspects bodies may have checked another
// value than the one used here.

interface Level {
  readonly path: string;
  /** Names of the object's members so far; null for an array. */
  readonly names: Set<string> | null;
  name: string;
  index: number;
}

function pathInside({ path, names, name, index }: Level): string {
  return names ? `${path}.${name || '""'}` : `${path}[${index}]`;
}

/** The path of the first duplicate member of a valid JSON text. */
export function findDuplicate(text: string, root: string): string | undefined {
  const levels: Level[] = [];
  let last = "";
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      const path = level ? pathInside(level) : root;
      levels.push({ path, names: token === "{" ? new Set() : null, name: "", index: 0 });
    } else if (token === "}" || token === "]") levels.pop();
    else if (token === "," && level) level.index++;
    else if (token === ":" && level?.names) {
      level.name = JSON.parse(last) as string;
      if (level.names.has(level.name)) return pathInside(level);
      level.names.add(level.name);
    } else last = token;
  }
  return undefined;
}

// Where in a token a claim is: for rules about tokens, and for role mappings of providers.

/** Bounds the names that are tried. Real paths have a few. */
const MAX_NAMES = 20;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The names that lead to a claim: of `a.b` as of `["a","b"]`; null: it is no path. */
export function parseClaimPath(text: string): readonly string[] | null {
  if (!text.startsWith("[")) {
    const names = text.split(".");
    return names.includes("") || names.length > MAX_NAMES ? null : names;
  }
  try {
    const path: unknown = JSON.parse(text);
    const isPath =
      Array.isArray(path) && path.length > 0 && path.every((part) => typeof part === "string" && part !== "");
    return isPath ? (path as string[]) : null;
  } catch {
    return null;
  }
}

/** What the names of a path may be at its start, the longest first: of `a.b.c` these are `a.b.c`, `a.b` and `a`. */
export function startsOfPath(text: string): readonly string[] {
  const names = parseClaimPath(text) ?? [];
  if (text.startsWith("[")) return names.slice(0, 1);
  return names.map((_name, index) => names.slice(0, names.length - index).join("."));
}

function descend(claims: unknown, path: string): unknown {
  if (!isObject(claims)) return undefined;
  const name = startsOfPath(path).find((start) => Object.hasOwn(claims, start));
  if (name === undefined) return undefined;
  return name === path ? claims[name] : descend(claims[name], path.slice(name.length + 1));
}

/**
 * The value of a claim; undefined: there is none. Dots lead into objects, but names may have dots of their own, as in
 * `https://acme.com/roles` and `oidc.circleci.com/project-id`: the longest name that exists counts. A list of names is exact.
 */
export function findClaim(claims: unknown, path: string): unknown {
  if (!path.startsWith("[")) return descend(claims, path);
  let value = claims;
  for (const name of parseClaimPath(path) ?? [undefined]) {
    if (name === undefined || !isObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

// Remembers what was found out about names of headers, which are the same in nearly all requests.

/** Clients choose names, so what is remembered is bounded. */
const MAX_NAMES = 1_000;
const MAX_LENGTH = 64;

/** `find` depends on the name alone. */
export function rememberByName<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const found = known.get(name);
    if (found !== undefined) return found;
    const value = find(name);
    if (known.size < MAX_NAMES && name.length <= MAX_LENGTH) known.set(name, value);
    return value;
  };
}

// What a server logs about the space of its store.

/** Logged when the space is exhausted, and when there is some again; once each. */
export const SPACE_MESSAGES = [
  "the store has no space left: changes are refused until there is some",
  "the store has space again",
] as const;

/** The messages about space, and the number of failed requests. */
export function readSpaceLog(log: string): { readonly space: readonly string[]; readonly failures: number } {
  const messages = log.split("\n").flatMap((line) => (line.startsWith("{") ? [String(JSON.parse(line).msg)] : []));
  return {
    space: messages.filter((message) => message.includes("space")),
    failures: messages.filter((message) => message === "request failed").length,
  };
}

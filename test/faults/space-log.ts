// What a server's log says of the space that its store has.

/** When the space has come to its end, and when there is some again; once each. */
export const SPACE_MESSAGES = [
  "the store has no space left: changes are refused until there is some",
  "the store has space again",
] as const;

/** What the log says of the space, and how often it says that a request failed. */
export function readSpaceLog(log: string): { readonly space: readonly string[]; readonly failures: number } {
  const messages = log.split("\n").flatMap((line) => (line.startsWith("{") ? [String(JSON.parse(line).msg)] : []));
  return {
    space: messages.filter((message) => message.includes("space")),
    failures: messages.filter((message) => message === "request failed").length,
  };
}

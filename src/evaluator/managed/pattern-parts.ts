// What the patterns of several tables have in common. Patterns keep to what RE2 and V8 read alike: ASCII, no `\s`
// (V8's knows more spaces), no `.` (V8's stops at more line ends), no looking around.

/** White space, and what stands for it between the words of a statement. */
export const GAP = String.raw`(?:[\t\n\x0b\f\r +]|%20|%09|%0a|/\*[^*]*\*/)`;
/** White space alone. */
export const SPACE = String.raw`[\t\n\x0b\f\r ]`;
export const LESS_THAN = "(?:<|%3c)";
/** A separator of a path. */
export const SLASH = String.raw`(?:[/\\]|%2f|%5c|%252f|%255c)`;

/** What a client chooses freely and a program reads as values. */
export const INPUT = ["query_names", "query_values", "cookies", "body"] as const;

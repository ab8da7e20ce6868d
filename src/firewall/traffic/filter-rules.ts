// Parses the filter of a metrics query: comparisons joined by AND.

export const MAX_CONDITIONS = 20;

export interface Condition {
  readonly dimension: string;
  /** Whether the dimension has to equal the value, or to differ from it. */
  readonly isEqual: boolean;
  readonly value: string;
}

const TOKEN = /\s*(?:(\()|(\))|(AND)\b|([A-Za-z][A-Za-z0-9_.]*)\s*(!=|:)\s*"((?:[^"\\]|\\.)*)")\s*/y;

/** The conditions, all of which have to match; null when the text has another syntax. */
export function parseFilter(text: string): readonly Condition[] | null {
  const conditions: Condition[] = [];
  let depth = 0;
  let isOpen = true;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text);
    if (!token) return null;
    const [, begin, end, and, dimension, operator, value] = token;
    // A condition or an opening bracket needs an open position, and every other token a closed one.
    if (isOpen !== (begin !== undefined || dimension !== undefined)) return null;
    if (begin) depth++;
    if (end && --depth < 0) return null;
    if (and) isOpen = true;
    if (dimension === undefined) continue;
    conditions.push({ dimension, isEqual: operator === ":", value: (value as string).replaceAll(/\\(.)/g, "$1") });
    isOpen = false;
  }
  return depth === 0 && !isOpen && conditions.length <= MAX_CONDITIONS ? conditions : null;
}

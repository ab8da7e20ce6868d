// The claims of a trust rule as rows of a form: what is typed becomes patterns, and stored patterns become text.
import type { Output } from "../../api/endpoints.ts";

export type TrustRule = Output<"GET /v1/identity/trusts">["trusts"][number];
export type Claims = TrustRule["claims"];
type Patterns = Claims[string];

export interface ClaimRow {
  /** Of the row, not of the claim, which may be typed anew. */
  readonly id: number;
  readonly claim: string;
  /** Patterns of text, one on each line, or JSON. */
  readonly text: string;
  readonly isJson: boolean;
}

let lastId = 0;

export function newRow(claim = "", text = "", isJson = false): ClaimRow {
  return { id: ++lastId, claim, text, isJson };
}

/** Text that is the same after it was typed as lines. */
const isLine = (pattern: unknown): pattern is string =>
  typeof pattern === "string" && pattern !== "" && pattern === pattern.trim() && !/[\r\n]/.test(pattern);

function rowOf(claim: string, patterns: Patterns): ClaimRow {
  const list = [patterns].flat();
  // A list of one stays a list: it would be shown as changed.
  const isText = list.every(isLine) && !(Array.isArray(patterns) && list.length === 1);
  return isText ? newRow(claim, list.join("\n")) : newRow(claim, JSON.stringify(patterns), true);
}

export function rowsOf(claims: Claims): readonly ClaimRow[] {
  return Object.entries(claims).map(([claim, patterns]) => rowOf(claim, patterns));
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The patterns of a row; undefined: its text is no JSON. */
function patternsOf({ text, isJson }: ClaimRow): Patterns | undefined {
  if (!isJson) {
    const lines = linesOf(text);
    return lines.length === 1 ? lines[0] : lines;
  }
  try {
    return JSON.parse(text) as Patterns;
  } catch {
    return undefined;
  }
}

/** What is wrong with a row before it is sent; null: nothing. */
export function rowProblem(row: ClaimRow, rows: readonly ClaimRow[]): string | null {
  const claim = row.claim.trim();
  if (rows.some((other) => other.id !== row.id && other.claim.trim() === claim))
    return "This claim has a row already: write its patterns there, one on each line";
  return patternsOf(row) === undefined ? 'Expected JSON, such as 42, true or ["a", "b"]' : null;
}

/** The claims as a request gives them. */
export function claimsOf(rows: readonly ClaimRow[]): Claims {
  return Object.fromEntries(rows.map((row) => [row.claim.trim(), patternsOf(row) ?? row.text]));
}

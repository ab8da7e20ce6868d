// Sends a call as somebody filled it in, and reads whatever comes back: a text, a long list, or a stream that does not end.
import { ReeveError, errorOf } from "../../../src/client/error.ts";
import { API } from "../../api/early.ts";
import type { Operation } from "./operations.ts";

/** What was filled in: parameters by `place.name`, and the body as text. */
export interface Filled {
  readonly values: Readonly<Record<string, string>>;
  /** The wanted form of the response. */
  readonly accept: string;
  /** Empty: none. */
  readonly body: string;
}

export interface Outcome {
  readonly status: number;
  /** Those that say something about this response. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly text: string;
  /** How long the head took to come. */
  readonly ms: number;
  /** The response has ended, or as much of it as is shown has come. */
  readonly isWhole: boolean;
  /** Null where it is no refusal of the API. */
  readonly refusal: ReeveError | null;
}

const HEADERS = [
  "content-type",
  "etag",
  "link",
  "location",
  "idempotency-replayed",
  "retry-after",
  "x-ratelimit-remaining",
  "x-request-id",
];
/** What is shown of a response, in characters. */
const MOST = 200_000;

/** The URL of a call; empty values are left out of its query. */
export function urlOf({ parameters, path }: Operation, { values }: Filled, base: string | URL): URL {
  const filled = path.replace(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(values[`path.${name}`] ?? ""));
  const url = new URL(filled.slice(1), base);
  for (const { name, in: place, schema } of parameters) {
    const value = values[`query.${name}`] ?? "";
    if (place !== "query" || value === "") continue;
    const all = schema.type === "array" ? value.split(",").map((one) => one.trim()) : [value];
    for (const one of all) url.searchParams.append(name, one);
  }
  return url;
}

function requestOf(operation: Operation, filled: Filled): RequestInit {
  const headers = new Headers({ accept: filled.accept });
  for (const { name, in: place } of operation.parameters) {
    const value = filled.values[`header.${name}`] ?? "";
    if (place === "header" && value !== "") headers.set(name, value);
  }
  if (filled.body !== "") headers.set("content-type", "application/json");
  return { method: operation.method, headers, ...(filled.body === "" ? {} : { body: filled.body }) };
}

/** JSON with its lines indented; anything else as it is. */
function pretty(text: string, type: string): string {
  if (!/\bjson\b/.test(type) || type.includes("ndjson")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

async function refusalIn({ ok, status, headers }: Response, text: string): Promise<ReeveError | null> {
  if (ok) return null;
  const refusal = await errorOf(new Response(text, { status, headers }));
  return refusal.code === "not_json" ? null : refusal;
}

/** Sends a call; `onOutcome` is told of what has come so far, and at last of the whole. `signal` ends a stream. */
export async function send(
  operation: Operation,
  filled: Filled,
  signal: AbortSignal,
  onOutcome: (outcome: Outcome) => void,
): Promise<void> {
  const startedAt = performance.now();
  const init = { ...requestOf(operation, filled), signal };
  const response = await fetch(urlOf(operation, filled, API), init).catch((error: unknown) => {
    throw new ReeveError("The server cannot be reached", { code: "unreachable", cause: error });
  });
  const ms = Math.round(performance.now() - startedAt);
  const type = response.headers.get("content-type") ?? "";
  const headers = HEADERS.flatMap((name) => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  const told = { status: response.status, headers, ms };
  let text = "";
  onOutcome({ ...told, text, isWhole: false, refusal: null });
  try {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader?.read(); read && !read.done && text.length < MOST; read = await reader?.read()) {
      text += read.value;
      if (type.startsWith("text/event-stream")) onOutcome({ ...told, text, isWhole: false, refusal: null });
    }
    await reader?.cancel();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  const shown = text.length > MOST ? text.slice(0, MOST) : pretty(text, type);
  onOutcome({ ...told, text: shown, isWhole: true, refusal: await refusalIn(response, text) });
}

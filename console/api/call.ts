// Calls of the API: what the pages do goes through the client here, and can be done with curl as well.
import { OPERATIONS } from "../../src/client/operations.ts";
import { ReeveError } from "../../src/client/error.ts";
import { createClient } from "../../src/client/client.ts";
import type { Client } from "../../src/client/client.ts";
import type { OperationId } from "../../src/client/types.ts";
import { API, fetchOrTake } from "./early.ts";
import type { EndpointKey, IdOf, Input, Output } from "./endpoints.ts";
import { signInAgain } from "./session-end.ts";

/** The API refused the call, or failed. */
export function isRefusal(error: unknown): error is ReeveError {
  return error instanceof ReeveError && error.status !== 0;
}

/** The server could not be reached. */
export function isUnreachable(error: unknown): boolean {
  return error instanceof ReeveError && error.status === 0;
}

/** A result, and the `ETag` of the object where it has one. */
export interface Fetched<T> {
  readonly value: T;
  readonly etag: string | null;
}

/** Pages decide themselves what is read again; a change that failed is not made later by itself. */
export const client: Client = createClient({ server: API, retries: 0, fetch: fetchOrTake });

const IDS = new Map(Object.entries(OPERATIONS).map(([id, { method, path }]) => [`${method} ${path}`, id]));

function idOf<K extends EndpointKey>(endpoint: K): IdOf<K> {
  return IDS.get(endpoint) as IdOf<K>;
}

/** A session that has ended, here or elsewhere, leads to the page to sign in. */
function failed(error: unknown): never {
  if (isRefusal(error) && error.status === 401) signInAgain();
  throw error;
}

interface Lines {
  readonly accept: string;
  readonly signal: AbortSignal;
  /** The response has begun. */
  readonly onOpen?: () => void;
}

/** The client's calls, for an endpoint that is not known before it runs. */
interface AnyCalls {
  answer(
    operation: OperationId,
    input: unknown,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<Fetched<unknown>>;
  lines(operation: OperationId, input: unknown, options: Lines): AsyncGenerator<string, void>;
}
const calls = client as unknown as AnyCalls;

/** Calls an endpoint and returns its result with the `ETag`. Throws a `ReeveError`. */
export async function fetchApi<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Fetched<Output<K>>> {
  const { value, etag } = await calls.answer(idOf(endpoint), input, { signal }).catch(failed);
  return { value: value as Output<K>, etag };
}

/** The lines of a response that is read while it is sent: an export, or a stream that ends when `signal` says so. */
export async function* fetchLines<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  options: Lines,
): AsyncGenerator<string, void> {
  try {
    yield* calls.lines(idOf(endpoint), input, options);
  } catch (error) {
    failed(error);
  }
}

/** Lets the browser save what an endpoint responds as CSV. */
export async function saveCsv<K extends EndpointKey>(endpoint: K, input: Input<K>, name: string): Promise<void> {
  const lines: string[] = [];
  const accept = "text/csv";
  for await (const line of fetchLines(endpoint, input, { accept, signal: new AbortController().signal }))
    lines.push(`${line}\r\n`);
  const url = URL.createObjectURL(new Blob(lines, { type: accept }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  URL.revokeObjectURL(url);
}

/** Calls an endpoint. */
export async function call<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Output<K>> {
  return (await fetchApi(endpoint, input, signal)).value;
}

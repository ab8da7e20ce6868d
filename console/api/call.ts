// Calls of the API: what the pages do goes through here, and can be done with curl as well.
import type { EndpointKey, Input, Output } from "./endpoints.ts";
import { signInAgain } from "./session-end.ts";

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What the API responded to a call that it refused. */
export class ApiProblem extends Error {
  override readonly name = "ApiProblem";
  readonly status: number;
  readonly code: string;
  /** The field that is wrong, as the API names it; empty: none. */
  readonly field: string;
  readonly details: Readonly<Record<string, unknown>>;
  /** For the operator's logs. */
  readonly requestId: string;

  constructor(status: number, error: Readonly<Record<string, unknown>>, requestId: string) {
    super(typeof error["message"] === "string" ? error["message"] : `The server responded with ${status}`);
    this.status = status;
    this.code = textOf(error["code"]);
    this.field = textOf(error["field"]);
    this.details = error;
    this.requestId = requestId;
  }
}

/** The server could not be reached. */
export class Unreachable extends Error {
  override readonly name = "Unreachable";
}

/** A result, and the `ETag` of the object where it has one. */
export interface Fetched<T> {
  readonly value: T;
  readonly etag: string | null;
}

interface LooseInput {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly ifMatch?: string;
}

/** The API is beside the console, also where a proxy serves both below a path. */
export const API = new URL("../", document.baseURI);

function urlOf(path: string, { params = {}, query = {} }: LooseInput): URL {
  const filled = path.replace(/:(\w+)/g, (_match, name: string) => encodeURIComponent(String(params[name])));
  const url = new URL(filled.slice(1), API);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== "") url.searchParams.append(name, String(one));
    }
  }
  return url;
}

export async function refusalOf(response: Response): Promise<ApiProblem> {
  const body = (await response.json().catch(() => null)) as { error?: Readonly<Record<string, unknown>> } | null;
  return new ApiProblem(response.status, body?.error ?? {}, response.headers.get("x-request-id") ?? "");
}

interface Lines {
  readonly accept: string;
  readonly signal: AbortSignal;
  /** The response has begun. */
  readonly onOpen?: () => void;
}

interface Options {
  readonly accept?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a call. Throws `ApiProblem` and `Unreachable`. */
async function send(
  endpoint: EndpointKey,
  input: LooseInput,
  { accept = "application/json", signal }: Options,
): Promise<Response> {
  const [method = "", path = ""] = endpoint.split(" ");
  const headers = new Headers({ accept });
  if (input.ifMatch !== undefined) headers.set("if-match", input.ifMatch);
  if (input.body !== undefined) headers.set("content-type", "application/json");
  const init: RequestInit = { method, headers, ...(signal ? { signal } : {}) };
  if (input.body !== undefined) init.body = JSON.stringify(input.body);
  const response = await fetch(urlOf(path, input), init).catch((error: unknown) => {
    throw signal?.aborted ? error : new Unreachable("The server cannot be reached", { cause: error });
  });
  // The session has ended, or was ended elsewhere.
  if (response.status === 401) signInAgain();
  if (!response.ok) throw await refusalOf(response);
  return response;
}

/** Calls an endpoint and returns its result with the `ETag`. */
export async function fetchApi<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  signal?: AbortSignal,
): Promise<Fetched<Output<K>>> {
  const response = await send(endpoint, input as LooseInput, { signal });
  const value = response.status === 204 ? null : await response.json();
  return { value: value as Output<K>, etag: response.headers.get("etag") };
}

/**
 * The lines of a response that is read while it is sent: an export, or a stream that ends when `signal` says so. Whoever stops reading
 * ends it.
 */
export async function* fetchLines<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  { onOpen, ...options }: Lines,
): AsyncGenerator<string, void> {
  const { body } = await send(endpoint, input as LooseInput, options);
  onOpen?.();
  if (!body) return;
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = "";
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      const lines = (rest + read.value).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
    if (rest !== "") yield rest;
  } finally {
    // What the server still sends is not waited for.
    void reader.cancel().catch(() => undefined);
  }
}

/** Lets the browser save what an endpoint responds in another form. */
export async function saveFile<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  accept: string,
  name: string,
): Promise<void> {
  const response = await send(endpoint, input as LooseInput, { accept });
  const url = URL.createObjectURL(await response.blob());
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

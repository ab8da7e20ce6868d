// Answers that were given and still hold. Nothing an answer is made of changes without a commit, but for what a verb asks
// for beside the store (`Outcome.isLasting`), so it is given again, as it was sent, while the store is at the same version.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Caller } from "../kernel/caller.ts";
import type { Endpoint } from "../kernel/contract.ts";
import { createVersionedCache } from "../store/versioned-cache.ts";
import type { VersionedCache } from "../store/versioned-cache.ts";
import { JSON_TYPE } from "./accept.ts";
import type { Backend } from "./backend.ts";
import type { HeaderList } from "./header-list.ts";
import type { OperationMetrics } from "./request-metrics.ts";

/** What an endpoint says, as it is sent. */
export interface Answer {
  readonly etag: string | null;
  readonly link: string | null;
  /** Null where the status allows none. */
  readonly body: string | Uint8Array | null;
}

/** The headers of an answer, but for its length. */
export function headersOf({ etag, link, body }: Answer): string[] {
  const headers: string[] = [];
  if (etag !== null) headers.push("etag", etag);
  if (link !== null) headers.push("link", link);
  if (body !== null) headers.push("content-type", JSON_TYPE);
  return headers;
}

/** Those with which it is sent without the framework, which counts by itself. */
function lastingHeadersOf(answer: Answer): HeaderList {
  const headers = headersOf(answer);
  if (answer.body !== null) headers.push("content-length", String(Buffer.byteLength(answer.body)));
  return headers;
}

/** An answer with what it takes to give it again. */
export class KeptAnswer {
  readonly answer: Answer;
  readonly status: number;
  /** Whose request it answered. */
  readonly caller: Caller;
  readonly metrics: OperationMetrics;
  #headers: HeaderList | undefined;

  constructor(answer: Answer, status: number, caller: Caller, metrics: OperationMetrics) {
    this.answer = answer;
    this.status = status;
    this.caller = caller;
    this.metrics = metrics;
  }

  /** Its own ones, made when it is given again for the first time: between the commits of a busy instance few are. */
  get headers(): HeaderList {
    return (this.#headers ??= lastingHeadersOf(this.answer));
  }
}

export type KeptAnswers = VersionedCache<KeptAnswer>;

const MAX_BYTES = 16_000_000;
/** Of an entry beside its texts, about. */
const ENTRY_BYTES = 500;

/** The answers that a server keeps; null where the store can't tell whether they still hold. */
export function createKeptAnswers({ readVersion }: Backend): KeptAnswers | null {
  if (!readVersion) return null;
  return createVersionedCache<KeptAnswer>(readVersion, {
    capacity: MAX_BYTES,
    sizeOf: (key, { answer: { link, body } }) => ENTRY_BYTES + key.length + (link?.length ?? 0) + (body?.length ?? 0),
  });
}

const KEY = Symbol("answer key");

/**
 * What an answer depends on beside the store: the credential, the URL, and the headers that some endpoints look at. Made once
 * for a request, whichever way it goes: it is long, and whenever it is made it has to be hashed.
 */
export function answerKey(request: IncomingMessage & { [KEY]?: string }, credentialHash: string): string {
  const { url, headers } = request;
  return (request[KEY] ??= `${credentialHash} ${url}\n${headers.accept ?? ""}\n${headers["user-agent"] ?? ""}`);
}

/** What is known of a request's answer. */
export interface AnswerPlace {
  /** That which holds. */
  readonly answer: Answer | undefined;
  /** Keeps what was read for this very request. */
  keep(answer: Answer): void;
}

/** Finds the places of an endpoint's answers; null where none is kept. */
export function createPlaceFinder(
  { method, status = 200 }: Endpoint,
  answers: KeptAnswers | null,
  metrics: OperationMetrics,
): (request: FastifyRequest) => AnswerPlace | null {
  if (!answers || method !== "GET") return () => null;
  return ({ raw, credential, caller }) => {
    const readAt = answers.version();
    // The credential stands for the caller, who was read at this version.
    const key = answerKey(raw, credential.hash);
    return {
      answer: answers.find(key)?.answer,
      keep: (answer) => answers.keep(key, new KeptAnswer(answer, status, caller, metrics), readAt),
    };
  };
}

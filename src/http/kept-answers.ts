// Answers that were given and still hold. Nothing an answer is made of changes without a commit, but for what a verb asks
// for beside the store (`Outcome.isLasting`), so it is given again, as it was sent, while the store is at the same version.
import type { IncomingHttpHeaders } from "node:http";
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

/** An answer with what it takes to give it again. */
export interface KeptAnswer extends Answer {
  readonly status: number;
  /** Its own ones, as node:http sends them. */
  readonly headers: HeaderList;
  /** Whose request it answered. */
  readonly caller: Caller;
  readonly metrics: OperationMetrics;
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
    sizeOf: (key, { link, body }) => ENTRY_BYTES + key.length + (link?.length ?? 0) + (body?.length ?? 0),
  });
}

/** What an answer depends on beside the store: the credential, the URL, and the headers that some endpoints look at. */
export function answerKey(credentialHash: string, url: string, headers: IncomingHttpHeaders): string {
  return `${credentialHash} ${url}\n${headers.accept ?? ""}\n${headers["user-agent"] ?? ""}`;
}

function headersOf({ etag, link, body }: Answer): HeaderList {
  return [
    ...(etag === null ? [] : ["etag", etag]),
    ...(link === null ? [] : ["link", link]),
    ...(body === null ? [] : ["content-type", JSON_TYPE, "content-length", String(Buffer.byteLength(body))]),
  ];
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
  return ({ credential, caller, url, headers }) => {
    const readAt = answers.version();
    // The credential stands for the caller, who was read at this version.
    const key = answerKey(credential.hash, url, headers);
    return {
      answer: answers.find(key),
      keep: (answer) => answers.keep(key, { ...answer, headers: headersOf(answer), status, caller, metrics }, readAt),
    };
  };
}

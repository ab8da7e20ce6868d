// Answers that were given and still hold. Nothing an answer is made of changes without a commit, but for what a verb asks
// for beside the store (`Outcome.isCacheable`), so it is given again, as it was sent, while the store is at the same version.
import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Endpoint } from "../../kernel/contract.ts";
import { createVersionedCache } from "../../store/versioned-cache.ts";
import type { VersionedCache } from "../../store/versioned-cache.ts";
import { JSON_TYPE } from "../requests/accept.ts";
import type { OperationRunner } from "../../operations/operation-runner.ts";

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

export type ResponseCache = VersionedCache<Answer>;

const MAX_BYTES = 16_000_000;
/** Of an entry beside its texts, about. */
const ENTRY_BYTES = 500;

/** The answers that a server keeps; null where the store can't tell whether they still hold. */
export function createResponseCache({ readVersion }: OperationRunner): ResponseCache | null {
  if (!readVersion) return null;
  return createVersionedCache<Answer>(readVersion, {
    capacity: MAX_BYTES,
    sizeOf: (key, { link, body }) => ENTRY_BYTES + key.length + (link?.length ?? 0) + (body?.length ?? 0),
  });
}

/** What an answer depends on beside the store: the credential, the URL, and the headers that some endpoints look at. */
function answerKey({ url, headers }: IncomingMessage, credentialHash: string): string {
  return `${credentialHash} ${url}\n${headers.accept ?? ""}\n${headers["user-agent"] ?? ""}`;
}

/** What is known of a request's answer. */
export interface CacheSlot {
  /** That which holds. */
  readonly answer: Answer | undefined;
  /** Keeps what was read for this very request. */
  keep(answer: Answer): void;
}

/** Finds the places of an endpoint's answers; null where none is kept. */
export function createCacheSlotFinder(
  { method }: Endpoint,
  answers: ResponseCache | null,
): (request: FastifyRequest) => CacheSlot | null {
  if (!answers || method !== "GET") return () => null;
  return ({ raw, credential }) => {
    const readAt = answers.version();
    // The credential stands for the caller, who was read at this version.
    const key = answerKey(raw, credential.hash);
    return { answer: answers.find(key), keep: (answer) => answers.set(key, answer, readAt) };
  };
}

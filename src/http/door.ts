// The short way. A request whose answer is kept is answered before the framework makes anything of it, which would cost more
// than all the rest. It passes what every request passes (gate.ts), and whatever is not as usual goes the long way.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../kernel/clock.ts";
import type { Admission } from "./admission.ts";
import { readCredential } from "./authenticate.ts";
import type { Backend } from "./backend.ts";
import type { HeaderList } from "./header-list.ts";
import { answerKey } from "./kept-answers.ts";
import type { KeptAnswer, KeptAnswers } from "./kept-answers.ts";
import type { LargeAnswers } from "./large-answers.ts";
import { rateHeaders } from "./rate-limit.ts";
import type { RateLimiter } from "./rate-limit.ts";

export interface DoorOptions {
  readonly backend: Pick<Backend, "noteUse" | "isOutdated">;
  readonly answers: KeptAnswers;
  readonly clock: Clock;
  readonly admission: Admission;
  readonly limiter: RateLimiter | null;
  readonly largeAnswers: LargeAnswers;
  /** The headers that every answer has. */
  markOf(request: IncomingMessage): HeaderList;
}

/** Answers the request, or says that it did not. */
export type Door = (request: IncomingMessage, response: ServerResponse) => boolean;

export function openDoor(options: DoorOptions): Door {
  const { backend, answers, clock, admission, limiter, largeAnswers, markOf } = options;

  /** The answer that holds for a request with a token that is valid now; a key may be bound to addresses. */
  function find(request: IncomingMessage, now: number): KeptAnswer | undefined {
    if (request.headers.authorization === undefined) return undefined;
    const { kind, hash } = readCredential(request);
    if (kind === "key" || backend.isOutdated()) return undefined;
    answers.version();
    const kept = answers.find(answerKey(request, hash));
    const endsAt = kept?.caller.expiresAt ?? null;
    return endsAt === null || endsAt > now ? kept : undefined;
  }

  return function pass(request, response) {
    if (request.method !== "GET") return false;
    const startedAt = performance.now();
    const now = clock();
    let kept: KeptAnswer | undefined;
    let headers: string[];
    try {
      kept = find(request, now);
      if (!kept) return false;
      admission.admit("read", response);
      headers = [...markOf(request), ...kept.headers];
      const state = limiter?.countOf(kept.caller, now);
      if (state) {
        if (!state.isAllowed) return false;
        headers.push(...rateHeaders(state, now));
      }
    } catch {
      // The long way tells what is wrong.
      return false;
    }
    const {
      answer: { body },
      status,
      caller,
      metrics,
    } = kept;
    backend.noteUse(caller, now);
    if (body !== null) largeAnswers.add(response, body.length);
    response.writeHead(status, headers).end(body ?? undefined);
    metrics.count(status, performance.now() - startedAt);
    return true;
  };
}

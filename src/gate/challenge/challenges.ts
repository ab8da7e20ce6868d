// The challenge: a person's browser does a little work, gets a pass, and goes on. README.md shows the ways through it.
import { nextBytes } from "../../platform/kernel/random.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import { headerOf } from "../message.ts";
import { handleChallengeRequest } from "./challenge-endpoints.ts";
import { createChallengePage } from "./challenge-page.ts";
import { isNavigation, originOf } from "./client-request.ts";
import { readForm } from "./form.ts";
import type { ChallengeScope } from "./keys.ts";
import type { ChallengeReference } from "./page.ts";
import { hasPass } from "./pass.ts";
import { createProblem } from "./problem.ts";
import { refererPath, safePath } from "./return-path.ts";
import { challengeUrl } from "./routes.ts";
import type { SpentSolutions } from "./spent-solutions.ts";
import type { Waiting } from "./waiting.ts";

export interface ChallengeSettings {
  readonly clock: Clock;
  /** Random bytes. */
  readonly random?: (length: number) => Buffer;
  /** How busy the gate is: 0 to 1. */
  readonly load: () => number;
  readonly spent: SpentSolutions;
  readonly waiting: Waiting;
}

export interface RespondOptions {
  /** The body, if it was read. A small form is kept over the challenge. */
  readonly body?: string | undefined;
}

export interface Challenges {
  /** Whether one of the passes in the cookies counts now. At most 180 signatures are compared. */
  hasPass(request: GateRequest, scope: ChallengeScope): boolean;
  /** In place of the application, for a request that is challenged. */
  respond(
    request: GateRequest,
    scope: ChallengeScope,
    reference: ChallengeReference,
    options?: RespondOptions,
  ): GateResponse;
  /** Requests whose path is `BASE_PATH` or below it. A body of more than `MAX_FORM_BYTES` need not be read: `""` will do. */
  handle(request: GateRequest, body: string, scope: ChallengeScope): Promise<GateResponse>;
}

/** For everything but a person's navigation. */
function refuseProgram(request: GateRequest, { id }: ChallengeReference): GateResponse {
  const page = refererPath(headerOf(request, "referer"), originOf(request));
  const isRead = request.method === "GET" || request.method === "HEAD";
  const path = page === "/" && isRead ? safePath(request.target) : page;
  return createProblem("challenge_required", {
    detail: "Open the URL in `challenge` in a browser, then send this request again with the cookie that it gets.",
    instance: `urn:reeve:decision:${id}`,
    members: { id, challenge: challengeUrl(path, { id }) },
  });
}

export function createChallenges(settings: ChallengeSettings): Challenges {
  const { clock, random = nextBytes } = settings;
  const context = { ...settings, random };
  /** HEAD gets what GET gets, without the body. */
  const finish = ({ method }: GateRequest, response: GateResponse) =>
    method === "HEAD" ? { ...response, body: null } : response;

  function respond(
    request: GateRequest,
    scope: ChallengeScope,
    reference: ChallengeReference,
    { body }: RespondOptions,
  ): GateResponse {
    const isShown = request.method === "GET" || request.method === "HEAD" || request.method === "POST";
    if (!isShown || !isNavigation(request)) return refuseProgram(request, reference);
    const path = safePath(request.target);
    if (request.method !== "POST") {
      return createChallengePage(context, { request, scope, reference, isInPlace: true, path });
    }
    const form = path === request.target ? readForm(request, body) : undefined;
    if (form !== undefined) {
      return createChallengePage(context, { request, scope, reference, isInPlace: true, path, form });
    }
    const before = refererPath(headerOf(request, "referer"), originOf(request));
    return createChallengePage(context, { request, scope, reference, path: before, form: "lost" });
  }

  return {
    hasPass: (request, scope) => hasPass(request, scope, clock()),
    respond: (request, scope, reference, options = {}) => finish(request, respond(request, scope, reference, options)),
    handle: async (request, body, scope) =>
      finish(request, await handleChallengeRequest(context, { request, body, scope })),
  };
}

// Makes the responses that are pages.
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import { headerOf } from "../message.ts";
import { chooseDifficulty, waitMs } from "./difficulty.ts";
import type { FormFields } from "./form.ts";
import { canonicalHost } from "./keys.ts";
import type { ChallengeScope } from "./keys.ts";
import { chooseLanguage } from "./language.ts";
import { pageHeaders, renderChallenge, renderNotice } from "./page.ts";
import type { ChallengeReference, NoticePage } from "./page.ts";
import { hasPass } from "./pass.ts";
import { createProblem } from "./problem.ts";
import type { SpentSolutions } from "./spent-solutions.ts";
import { issueToken } from "./token.ts";
import type { ChallengeToken } from "./token.ts";
import { waitUrl } from "./routes.ts";
import type { Waiting } from "./waiting.ts";

/** What all requests of one gate share. */
export interface ChallengeContext {
  readonly clock: Clock;
  readonly random: (length: number) => Buffer;
  readonly load: () => number;
  readonly spent: SpentSolutions;
  readonly waiting: Waiting;
}

export interface PageInput {
  readonly request: GateRequest;
  readonly scope: ChallengeScope;
  readonly reference?: ChallengeReference | undefined;
  /** The page has the URL of what was asked for. */
  readonly isInPlace?: boolean;
  /** Where to go afterwards. */
  readonly path: string;
  readonly form?: FormFields | "lost" | undefined;
  /** The person came too early with this one, which is still good. */
  readonly token?: ChallengeToken;
}

const NONCE_BYTES = 16;

interface NoticeInput {
  readonly request: GateRequest;
  readonly notice: NoticePage["notice"];
  readonly link: string;
  readonly reference?: ChallengeReference | undefined;
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A page that does nothing by itself. */
export function createNotice({ request, notice, link, reference, status, headers }: NoticeInput): GateResponse {
  const language = chooseLanguage(headerOf(request, "accept-language"));
  const body = renderNotice({ language, host: canonicalHost(request), reference, notice, link });
  return { status, headers: { ...pageHeaders(language), ...headers }, body };
}

export function createChallengePage(context: ChallengeContext, input: PageInput): GateResponse {
  const { request, scope, reference, isInPlace = false, path, form } = input;
  const now = context.clock();
  // Anyone who is challenged with a pass would be again after the next one: nothing goes on by itself. Nor does it after a lost form.
  if (form !== "lost" && hasPass(request, scope, now)) {
    return createNotice({ request, notice: "passed", link: path, reference, status: isInPlace ? 403 : 200 });
  }
  const difficulty = chooseDifficulty(request, context.load());
  const token = input.token ?? issueToken(request, scope, { now, difficulty, random: context.random });
  if (token === undefined) {
    return createProblem("no_key", { detail: "The gate has no key for challenges yet. Try again in a minute." });
  }
  const language = chooseLanguage(headerOf(request, "accept-language"));
  const nonce = context.random(NONCE_BYTES).toString("base64url");
  const body = renderChallenge({
    language,
    host: canonicalHost(request),
    reference,
    token: token.text,
    difficulty: token.difficulty,
    nonce,
    returnPath: isInPlace ? "" : path,
    waitUrl: waitUrl(token.text, path),
    // A second more, so that nobody comes too early.
    waitSeconds: Math.ceil((token.issuedAt + waitMs(token.difficulty) - now) / SECOND_MS) + 1,
    form,
    isEarly: input.token !== undefined,
  });
  return { status: 403, headers: pageHeaders(language, nonce), body };
}

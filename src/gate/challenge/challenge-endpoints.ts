// The requests below `/.well-known/reeve/challenge`. Each endpoint bounds the size of what it reads before it computes anything.
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { GateRequest, GateResponse } from "../message.ts";
import { BROWSER_SCRIPT, SCRIPT_NAME } from "./browser-script.ts";
import { createChallengePage, createNotice } from "./challenge-page.ts";
import type { ChallengeContext } from "./challenge-page.ts";
import { isSameOrigin } from "./client-request.ts";
import { waitMs } from "./difficulty.ts";
import { MAX_FORM_BYTES, readForm } from "./form.ts";
import type { ChallengeScope } from "./keys.ts";
import { hasPass, issuePass } from "./pass.ts";
import { createProblem } from "./problem.ts";
import type { ProblemCode } from "./problem.ts";
import { checkSolution } from "./proof.ts";
import { readReturn } from "./return-path.ts";
import { BASE_PATH, continueUrl } from "./routes.ts";
import { CLOCK_SKEW_MS, TOKEN_MS, readToken } from "./token.ts";
import type { ChallengeToken } from "./token.ts";

export interface ChallengeCall {
  readonly request: GateRequest;
  readonly body: string;
  readonly scope: ChallengeScope;
}

interface Call extends ChallengeCall {
  readonly context: ChallengeContext;
  readonly now: number;
  readonly query: string;
}

type Endpoint = (call: Call) => GateResponse | Promise<GateResponse>;

const MAX_TARGET = 16_384;
const MAX_SOLUTION_BODY = 1_024;
/** What references look like: anything else is somebody's text, which the page would show as the site's. */
const REFERENCE = /(?:^|&)id=([\w-]{1,64})(?:&|$)/;

const DETAILS: Readonly<Partial<Record<ProblemCode, string>>> = {
  malformed:
    "Expected a form with `token` as the page has it, and `solution`: 16 numbers in base 36 with dots between them.",
  forged: "The signature does not fit this host and this project. Load the page again.",
  expired: "A challenge can be solved for five minutes, and not in an attack that began after it. Load the page again.",
  wrong: "A hash is not below the bound. Load the page again.",
  spent: "Each challenge gives one pass. Load the page again.",
};

const refuse = (code: ProblemCode) => createProblem(code, { detail: DETAILS[code] ?? "" });

/** A new pass, or why there is none. */
type Outcome = { readonly cookie: string } | { readonly problem: ProblemCode };

/** Spends the token last: what is refused for another reason stays good. */
async function redeem({ context, request, scope, now }: Call, token: ChallengeToken): Promise<Outcome> {
  const cookie = issuePass(request, scope, token, now);
  if (cookie === undefined) return { problem: "no_key" };
  const isFirst = await context.spent.spend(token.nonce, token.issuedAt + TOKEN_MS + CLOCK_SKEW_MS);
  return isFirst ? { cookie } : { problem: "spent" };
}

/** Gives the pass for a solution. */
async function solve(call: Call): Promise<GateResponse> {
  if (call.body.length > MAX_SOLUTION_BODY) return tooLarge(MAX_SOLUTION_BODY);
  const fields = new URLSearchParams(call.body);
  const [text, solution] = [fields.get("token"), fields.get("solution")];
  if (text === null || solution === null) return refuse("malformed");
  const token = readToken(call.request, call.scope, { text, now: call.now });
  if (typeof token === "string") return refuse(token);
  const result = checkSolution(token, solution);
  if (result !== "right") return refuse(result);
  const outcome = await redeem(call, token);
  if ("problem" in outcome) return refuse(outcome.problem);
  return { status: 204, headers: { "set-cookie": outcome.cookie, "cache-control": "no-store" }, body: null };
}

/** Whether the browser sends the pass. */
function checkPass({ request, scope, now }: Call): GateResponse {
  if (hasPass(request, scope, now)) return { status: 204, headers: { "cache-control": "no-store" }, body: null };
  return createProblem("no_pass", { detail: "The browser sent no cookie with a valid pass." });
}

/** 307 has the browser send its form again. */
function goTo({ request }: Call, location: string, cookie?: string): GateResponse {
  const headers = { location, "cache-control": "no-store", ...(cookie === undefined ? {} : { "set-cookie": cookie }) };
  return { status: request.method === "POST" ? 307 : 303, headers, body: null };
}

/** A form that is sent on has to come from this origin: other sites could send theirs in its name. */
function isForeignForm({ request }: Call): boolean {
  return request.method === "POST" && !isSameOrigin(request);
}

/** Gives the pass to a browser that has waited. */
async function wait(call: Call): Promise<GateResponse> {
  const { context, request, scope, now, query } = call;
  const path = readReturn(query);
  const fail = (status: number) => createNotice({ request, notice: "failed", link: path, status });
  if (isForeignForm(call)) return fail(403);
  const token = readToken(request, scope, { text: new URLSearchParams(query).get("token") ?? "", now });
  if (typeof token === "string") return fail(token === "malformed" ? 400 : 403);
  if (now < token.issuedAt + waitMs(token.difficulty)) {
    const form = request.method === "POST" ? (readForm(request, call.body) ?? "lost") : undefined;
    return createChallengePage(context, { request, scope, path, form, token });
  }
  const crowdedMs = await context.waiting.take(request, scope);
  if (crowdedMs > 0) {
    const headers = { "retry-after": String(Math.ceil(crowdedMs / SECOND_MS)) };
    return createNotice({ request, notice: "crowded", link: path, status: 429, headers });
  }
  const outcome = await redeem(call, token);
  return "cookie" in outcome ? goTo(call, continueUrl(path), outcome.cookie) : fail(403);
}

/** Sends on who has the pass, and tells the others that their browser refuses cookies. */
function proceed(call: Call): GateResponse {
  const { request, scope, now, query } = call;
  const link = readReturn(query);
  if (isForeignForm(call)) return createNotice({ request, notice: "failed", link, status: 403 });
  if (hasPass(request, scope, now)) return goTo(call, link);
  return createNotice({ request, notice: "cookies", link, status: 403 });
}

function showPage({ context, request, scope, query }: Call): GateResponse {
  const id = REFERENCE.exec(query)?.[1];
  const reference = id === undefined ? undefined : { id, rule: null };
  return createChallengePage(context, { request, scope, reference, path: readReturn(query) });
}

/** Browsers keep it for good: its name changes with its text. Under an old name, which another version handed out, for once. */
function sendScript({ request }: Call): GateResponse {
  const isCurrent = request.target === `${BASE_PATH}/${SCRIPT_NAME}`;
  const headers = {
    "content-type": "text/javascript; charset=utf-8",
    "cache-control": isCurrent ? "public, max-age=31536000, immutable" : "no-store",
    // Of the worker.
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
  };
  return { status: 200, headers, body: BROWSER_SCRIPT };
}

const ENDPOINTS: readonly { path: RegExp; methods: readonly string[]; endpoint: Endpoint }[] = [
  { path: /^\/?$/, methods: ["GET", "HEAD"], endpoint: showPage },
  { path: /^\/check-[0-9a-f]{12}\.js$/, methods: ["GET", "HEAD"], endpoint: sendScript },
  { path: /^\/solve$/, methods: ["POST"], endpoint: solve },
  { path: /^\/pass$/, methods: ["GET"], endpoint: checkPass },
  { path: /^\/wait$/, methods: ["GET", "POST"], endpoint: wait },
  { path: /^\/continue$/, methods: ["GET", "POST"], endpoint: proceed },
];

function tooLarge(limit: number): GateResponse {
  return createProblem("too_large", { detail: `Expected at most ${limit} bytes.` });
}

export async function handleChallengeRequest(
  context: ChallengeContext,
  { request, body, scope }: ChallengeCall,
): Promise<GateResponse> {
  if (request.target.length > MAX_TARGET) return tooLarge(MAX_TARGET);
  if (body.length > MAX_FORM_BYTES) return tooLarge(MAX_FORM_BYTES);
  const end = request.target.indexOf("?");
  const [path, query] = end < 0 ? [request.target, ""] : [request.target.slice(0, end), request.target.slice(end + 1)];
  const rest = path.startsWith(BASE_PATH) ? path.slice(BASE_PATH.length) : null;
  const found = ENDPOINTS.find((one) => rest !== null && one.path.test(rest));
  if (found === undefined) return createProblem("not_found", { detail: "No page of the challenge has this path." });
  if (!found.methods.includes(request.method)) {
    const allow = found.methods.join(", ");
    return createProblem("wrong_method", { detail: `Expected ${allow}.`, headers: { allow } });
  }
  return await found.endpoint({ context, request, body, scope, now: context.clock(), query });
}

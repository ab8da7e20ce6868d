// The routes of the pages without script, and of the console's app beside them.
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Caller } from "../../platform/kernel/caller.ts";
import type { Clock } from "../../platform/kernel/scheduling/clock.ts";
import { html } from "../../platform/kernel/text/html.ts";
import { ApiError } from "../../platform/kernel/errors.ts";
import { hashCredential } from "../../platform/kernel/credential.ts";
import { parseQueryString, singleValue } from "../../platform/operations/query-string.ts";
import type { OperationRunner } from "../../platform/operations/operation-runner.ts";
import { countForm, countRequest } from "../../platform/http/requests/request-guards.ts";
import type { RateLimiter } from "../../platform/http/limits/rate-limit.ts";
import type { Admission } from "../../platform/http/limits/admission.ts";
import type { SendError } from "../../platform/http/responses/send-error.ts";
import { renderError } from "../../platform/http/responses/error-response.ts";
import type { ErrorReply } from "../../platform/http/responses/error-response.ts";
import type { CreateBodyParser } from "../../platform/http/requests/read-body.ts";
import { requireSessionAlone } from "../../platform/http/requests/authenticate.ts";
import { askForBody } from "../../platform/http/requests/request-head.ts";
import { JSON_TYPE, chooseMediaType } from "../../platform/http/requests/accept.ts";
import { originOf } from "../../platform/http/requests/operation-request.ts";
import { leadToOwnName } from "../../platform/http/requests/own-name.ts";
import { ownHost, ownOrigin, requireSameOrigin } from "../../platform/http/requests/same-origin.ts";
import { PASSKEY_SCRIPT } from "../../identity/pages/sign-in/passkey-script.ts";
import { addAppAssets, appHeaders } from "./app-routes.ts";
import { appPage } from "./app-routes.ts";
import type { AppFiles } from "./app-files.ts";
import { homePage } from "../../identity/pages/home-page.ts";
import { PAGES } from "../../identity/pages/pages.ts";
import { MAX_FORM_BYTES, acceptForms } from "../../identity/pages/form-body.ts";
import { PAGE_HEADERS, renderPage } from "../../identity/pages/page-frame.ts";
import type { PageContent, PagePlace } from "../../identity/pages/page-frame.ts";
import { returnPath, withReturn } from "../../identity/pages/page.ts";
import type { PageContext, Page, PageResult, PageRequest } from "../../identity/pages/page.ts";

export interface PageRoutes extends PageContext {
  readonly runner: Pick<OperationRunner, "findCaller" | "recordUse">;
  readonly clock: Clock;
  readonly admission: Pick<Admission, "admit">;
  /** Null: there is no rate limit. */
  readonly limiter: RateLimiter | null;
  /** Logs and counts what went wrong. */
  readonly sendError: SendError;
  readonly createParser: CreateBodyParser;
  /** The app; null: this server leaves it out, and a page without script takes its place. */
  readonly appFiles: AppFiles | null;
}

const HTML_TYPE = "text/html; charset=utf-8";

/** What a page that was asked for and refused shows, and where its visitor is sent first. */
const PROOF_CODES: ReadonlySet<string> = new Set(["proof_required"]);

/** The address of a page below /console/, without its query. */
function pathOf({ url }: FastifyRequest): string {
  const mark = url.indexOf("?");
  return (mark < 0 ? url : url.slice(0, mark)).slice("/console/".length);
}

/** What leads from a page to /console/. */
function rootOf(request: FastifyRequest): string {
  return "../".repeat(pathOf(request).split("/").length - 1);
}

function placeOf(request: FastifyRequest, publicUrl: string): PagePlace {
  return { root: rootOf(request), host: ownHost(request, publicUrl) };
}

function send(reply: FastifyReply, place: PagePlace, result: PageResult): FastifyReply {
  const { root } = place;
  if ("document" in result) {
    return reply.headers({ ...appHeaders(result.styleSource), "content-type": HTML_TYPE }).send(result.document);
  }
  if ("json" in result) return reply.header("content-type", JSON_TYPE).send(JSON.stringify(result.json));
  for (const cookie of result.cookies ?? []) reply.header("set-cookie", cookie);
  if ("redirect" in result) {
    // 303: the page that follows is fetched by GET. RFC 9110, section 15.4.4
    const location = result.redirect === "./" && root !== "" ? root : root + result.redirect;
    return reply.code(303).header("location", location).send();
  }
  // https://html.spec.whatwg.org/multipage/document-lifecycle.html#the-refresh-header
  if (result.refresh !== undefined) reply.header("refresh", `0;url=${result.refresh}`);
  reply.code(result.status ?? 200).headers({ ...PAGE_HEADERS, "content-type": HTML_TYPE });
  return reply.send(renderPage(result, place));
}

/** A refusal as a page of its own. */
function describeRefusal({ message: text }: ApiError, root: string): PageContent {
  const content = html`<p>Go back to the page before, or to <a href="${root}./">the first page</a>.</p>`;
  return { title: "That did not work", content, problem: { text } };
}

/** Sends a refusal as the API does, with the same headers, but as a page where JSON is not preferred. */
function refuseWith({ sendError, publicUrl }: Pick<PageRoutes, "sendError" | "publicUrl">) {
  return (error: unknown, request: FastifyRequest, reply: FastifyReply, shown?: PageContent & { status?: number }) => {
    const place = placeOf(request, publicUrl);
    sendError(error, request, reply.headers(PAGE_HEADERS), (refusal, context): ErrorReply => {
      if (chooseMediaType(context.accept, ["text/html", "application/json"]) === "application/json")
        return renderError(refusal, context);
      const body = renderPage(shown ?? describeRefusal(refusal, place.root), place);
      return { status: shown?.status ?? refusal.status, contentType: HTML_TYPE, body };
    });
    return reply;
  };
}

/** The page's own relative address with its query, to come back to. */
function ownPath({ url }: FastifyRequest): string {
  return returnPath(url.slice("/console/".length));
}

/** The caller whose session a request has. It is looked up before the body, and again afterwards: the session may have ended. */
async function findVisitor(
  { runner, cookies }: PageRoutes,
  request: FastifyRequest,
  now: number,
): Promise<Caller | undefined> {
  const session = cookies.readSession(request.headers);
  if (session === null) return undefined;
  requireSessionAlone(request.headers);
  request.credential = { value: session, kind: "session", hash: hashCredential(session) };
  return await runner.findCaller(request.credential, now, request.ip);
}

async function openPageRequest(options: PageRoutes, request: FastifyRequest): Promise<PageRequest> {
  const { runner, clock, cookies, publicUrl } = options;
  const now = clock();
  const caller = await findVisitor(options, request, now);
  if (caller) {
    request.caller = caller;
    runner.recordUse(caller, now);
  }
  const mark = request.url.indexOf("?");
  const values = parseQueryString(mark < 0 ? "" : request.url.slice(mark + 1));
  return {
    ...options,
    request,
    now,
    caller: caller ?? null,
    client: {
      site: { origin: ownOrigin(request, publicUrl) },
      origin: originOf(request),
      device: cookies.readDevice(request.headers),
    },
    refusal: null,
    query: (name) => singleValue(values, name) ?? "",
    param: (name) => (request.params as Readonly<Record<string, string>>)[name] ?? "",
    ...placeOf(request, publicUrl),
  };
}

/** Ends the session that a browser had when somebody signed in there again: its cookie is replaced, so nobody could end it there. */
async function endEarlierSession({ caller, request, runOperation }: PageRequest): Promise<void> {
  if (!caller) return;
  try {
    await runOperation(request, caller, "deleteSession", { params: { sessionId: "current" } });
  } catch (error) {
    // The sign-in itself has ended it, with the others of the account.
    if (!(error instanceof ApiError && error.code === "not_authorized")) throw error;
  }
}

async function respond(pageRequest: PageRequest, reply: FastifyReply, result: PageResult): Promise<FastifyReply> {
  if (!("redirect" in result) || !result.signedIn) return send(reply, pageRequest, result);
  await endEarlierSession(pageRequest);
  const cookies = [...pageRequest.cookies.signedIn(result.signedIn), ...(result.cookies ?? [])];
  return send(reply, pageRequest, { ...result, cookies });
}

/** Responds to a request for a page. */
type Respond = (page: Page, pageRequest: PageRequest, reply: FastifyReply) => Promise<FastifyReply>;

const show: Respond = async (page, pageRequest, reply) => {
  if (!page.show) return send(reply, pageRequest, { redirect: "./" });
  return await respond(pageRequest, reply, await page.show(pageRequest));
};

/** A refusal is shown on the page that was submitted. */
function submitWith(options: PageRoutes): Respond {
  return async (page, pageRequest, reply) => {
    try {
      requireSameOrigin(pageRequest.request, options.publicUrl);
      return await respond(pageRequest, reply, await (page.submit as NonNullable<Page["submit"]>)(pageRequest));
    } catch (error) {
      // What went wrong here itself would go wrong on the page, too.
      if (page.forScript || !(error instanceof ApiError) || error.status === 500) throw error;
      if (PROOF_CODES.has(error.code))
        return send(reply, pageRequest, { redirect: withReturn("prove", ownPath(pageRequest.request)) });
      const shown = await page.show?.({ ...pageRequest, refusal: error });
      if (shown === undefined) throw error;
      if (!("title" in shown)) return send(reply, pageRequest, shown);
      return refuseWith(options)(error, pageRequest.request, reply, shown);
    }
  };
}

function addPage(scope: FastifyInstance, page: Page, options: PageRoutes): void {
  const refuse = page.forScript ? options.sendError : refuseWith(options);
  const addRoute = (method: "GET" | "POST", act: Respond) =>
    scope.route({
      method,
      url: `/console/${page.path}`,
      bodyLimit: MAX_FORM_BYTES,
      config: { operation: `console/${page.path}` },
      errorHandler: (error, request, reply) => void refuse(error, request, reply),
      async onRequest(request, reply) {
        options.admission.admit(method === "GET" ? "read" : "write", reply.raw);
        const now = options.clock();
        const caller = await findVisitor(options, request, now);
        if (caller) countRequest(options.limiter, caller, reply, now);
        else if (method === "POST") countForm(options.limiter, request, reply, now);
        askForBody(reply.raw);
      },
      async handler(request, reply) {
        if (method === "GET" && !page.forScript && leadToOwnName(request, reply, options.publicUrl)) return reply;
        const pageRequest = await openPageRequest(options, request);
        if (page.needsSession && !pageRequest.caller) {
          return send(reply, pageRequest, { redirect: withReturn("sign-in", ownPath(request)) });
        }
        return await act(page, pageRequest, reply);
      },
    });
  addRoute("GET", show);
  if (page.submit) addRoute("POST", submitWith(options));
}

export function addPageRoutes(app: FastifyInstance, options: PageRoutes): void {
  app.register((scope, _scopeOptions, done) => {
    acceptForms(scope, options.createParser);
    const { appFiles } = options;
    for (const page of PAGES) addPage(scope, page, options);
    addPage(scope, appFiles ? appPage(appFiles) : { ...homePage, path: "" }, options);
    if (appFiles) addAppAssets(scope, appFiles);
    scope.get("/console/passkeys.js", (_request, reply) =>
      reply
        .headers({ "content-type": "text/javascript; charset=utf-8", "cache-control": "no-cache" })
        .send(PASSKEY_SCRIPT),
    );
    scope.get("/console", (_request, reply) => reply.code(303).header("location", "console/").send());
    done();
  });
}

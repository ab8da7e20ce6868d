// `reeve/gate`: the gate within an application, for node:http, Express, Fastify, and whatever takes a web-standard Request.
import type { IncomingMessage, ServerResponse } from "node:http";
import { createControlPlane } from "./bundle/control-plane.ts";
import { createCore } from "./core.ts";
import type { GateCore } from "./core.ts";
import { DECISION_HEADER, decisionHeader, isLetThrough } from "./decision.ts";
import type { GateLog } from "./gate-log.ts";
import type { GateRequest, GateResponse } from "./message.ts";
import { LOOPBACK } from "./requests/trusted-proxies.ts";
import { answerOf, challengeScope } from "./server/answer.ts";
import { guard, handleChallenge, isChallengeUrl } from "./server/guard.ts";
import { MAX_FORM_BYTES } from "./challenge/form.ts";

export interface GateOptions {
  /** URL of the control plane. */
  readonly server: string;
  /** API key with the permission `gate:connect`. */
  readonly key: string;
  /** Slug or id of the team; by default what the key belongs to. */
  readonly team?: string;
  /** The project whose firewall applies. */
  readonly project: string;
  /** Folder of the last bundle, with which the application starts while the control plane is away. By default there is none. */
  readonly dir?: string;
  /** Networks of proxies whose `X-Forwarded-*` headers are believed; loopback by default. */
  readonly trustedProxies?: readonly string[];
  /** What happens to requests while there has never been a bundle; `open` (let through) by default. */
  readonly whenNoBundle?: "open" | "closed";
  /** What happens to a request that the evaluator fails on or takes more than 5 ms for; `closed` (refused) by default. */
  readonly whenError?: "open" | "closed";
  /** Only record what would be refused; false by default. */
  readonly detectOnly?: boolean;
  /** Where the gate says what its operator has to know; by default warnings and errors go to the console. */
  readonly log?: GateLog;
}

type Handler = (message: IncomingMessage, res: ServerResponse) => unknown;
/** Of Express, Connect and others: `originalUrl` is the URL before a router has changed it. */
type Middleware = (
  message: IncomingMessage & { readonly originalUrl?: string },
  res: ServerResponse,
  next: (error?: unknown) => void,
) => void;
type FetchHandler = (request: Request, ...rest: never[]) => Response | Promise<Response>;

interface FastifyLike {
  addHook(
    name: "onRequest",
    hook: (
      request: { readonly raw: IncomingMessage },
      reply: { readonly raw: ServerResponse; hijack(): unknown },
      done: (error?: Error) => void,
    ) => void,
  ): unknown;
}

export interface ApplicationGate {
  /** Resolves when the bundle is there, or cannot be had now. Requests before that are decided by `whenNoBundle`. */
  readonly ready: Promise<void>;
  /** For `http.createServer`. */
  node(handler: Handler): Handler;
  /** For `app.use`, before anything that reads bodies. */
  express(): Middleware;
  /** For `app.register`. */
  readonly fastify: (instance: FastifyLike) => Promise<void>;
  /** For handlers of web-standard requests. `ip` says who the client is, because a Request does not. */
  fetch<H extends FetchHandler>(handler: H, options?: { ip?(request: Request): string | undefined }): H;
  /** Reports what was counted, and lets the process end. */
  close(): Promise<void>;
}

const CONSOLE_LOG: GateLog = {
  info() {},
  warn: (details, message) => console.warn(`reeve/gate: ${message}`, details),
  error: (details, message) => console.error(`reeve/gate: ${message}`, details),
};

/** Frees a middleware of the prefix below which it is mounted. */
function wholeUrl({ originalUrl, url = "" }: IncomingMessage & { readonly originalUrl?: string }): string {
  return originalUrl ?? url;
}

/** What the application sees of the decision, instead of what a client claims. */
function tell(message: IncomingMessage, header: string): void {
  for (const name of ["x-reeve-status", "x-reeve-location"]) delete message.headers[name];
  message.headers[DECISION_HEADER] = header;
}

function createMiddleware(core: GateCore): Middleware {
  return (message, res, next) => {
    const url = wholeUrl(message);
    if (isChallengeUrl(url)) {
      handleChallenge(core, message, res, url).catch(next);
      return;
    }
    guard(core, message, res, url, (request, decision) => {
      tell(message, decisionHeader(decision));
      const project = core.decider.findProject(request);
      // How long it takes depends on who reads it, so that is not measured.
      if (project) res.once("finish", () => core.responses.count(project, res.statusCode, null));
      next();
    });
  };
}

function requestOf(request: Request, ip: string | undefined): GateRequest {
  const { protocol, host, pathname, search } = new URL(request.url);
  return {
    method: request.method.toUpperCase(),
    scheme: protocol === "https:" ? "https" : "http",
    host: request.headers.get("host") ?? host,
    target: pathname + search,
    headers: Object.fromEntries(request.headers),
    ip,
  };
}

function responseOf({ status, headers, body }: GateResponse): Response {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((text): [string, string] => [name, text]),
  );
  return new Response(body as string | null, { status, headers: pairs });
}

/** A small body as text; undefined: it is larger, or there is none. */
async function smallBody(request: Request): Promise<string | undefined> {
  const length = Number(request.headers.get("content-length") ?? Infinity);
  return request.body === null || length > MAX_FORM_BYTES ? undefined : await request.text();
}

async function handleFetch(
  { decider, challenges, responses }: GateCore,
  request: Request,
  ip: string | undefined,
  letThrough: (request: Request) => Response | Promise<Response>,
): Promise<Response> {
  const own = requestOf(request, ip);
  const project = decider.findProject(own);
  const scope = project ? challengeScope(project) : null;
  if (isChallengeUrl(own.target) && scope) {
    return responseOf(await challenges.handle(own, (await smallBody(request)) ?? "", scope));
  }
  const decision = decider.decide(own);
  if (!isLetThrough(decision)) {
    const isForm = request.headers.get("content-type")?.startsWith("application/x-www-form-urlencoded");
    const body = decision.action === "challenge" && isForm ? await smallBody(request) : undefined;
    return responseOf(answerOf(challenges, project, own, decision, body));
  }
  const told = new Request(request);
  told.headers.set(DECISION_HEADER, decisionHeader(decision));
  let status = 500;
  try {
    const response = await letThrough(told);
    ({ status } = response);
    return response;
  } finally {
    if (project) responses.count(project, status, null);
  }
}

/** Protects an application from within. It asks the control plane for the bundle at once, and goes on in the background. */
export function createGate(options: GateOptions): ApplicationGate {
  const { server, key, team = null, project, dir = null, log = CONSOLE_LOG } = options;
  const base = server.replace(/\/+$/, "");
  const core = createCore(
    {
      hosts: [{ host: "*", team, project }],
      trustedProxies: options.trustedProxies ?? LOOPBACK,
      dir,
      whenNoBundle: options.whenNoBundle ?? "open",
      whenError: options.whenError ?? "closed",
      detectOnly: options.detectOnly ? ["all"] : [],
    },
    { controlPlane: createControlPlane({ server: base, key }), server: base, clock: Date.now, log },
  );
  const middleware = createMiddleware(core);
  const fastify = Object.assign(
    async (instance: FastifyLike) => {
      instance.addHook("onRequest", ({ raw }, reply, done) => {
        // The reply is the gate's unless it lets the request through.
        let isThrough = false;
        middleware(raw, reply.raw, (error) => {
          isThrough = true;
          done(error as Error | undefined);
        });
        if (!isThrough) reply.hijack();
      });
    },
    // The hook is for the whole application, not for the routes of this plugin. https://fastify.dev/docs/latest/Reference/Plugins
    { [Symbol.for("skip-override")]: true },
  );
  return {
    ready: core.start(),
    node: (handler) => (message, res) => middleware(message, res, () => handler(message, res)),
    express: () => middleware,
    fastify,
    fetch: ((handler: FetchHandler, { ip }: { ip?(request: Request): string | undefined } = {}) =>
      (request: Request, ...rest: never[]) =>
        handleFetch(core, request, ip?.(request), (told) => handler(told, ...rest))) as ApplicationGate["fetch"],
    close: core.stop,
  };
}

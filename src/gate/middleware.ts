// `@reeve-hq/reeve/gate`: the gate within an application, for node:http, Express, Fastify, and whatever takes a web-standard Request.
import type { IncomingMessage, ServerResponse } from "node:http";
import { warnOfAccessToken } from "./key-scope-warning.ts";
import { createControlPlane } from "./bundle/control-plane.ts";
import { createCore } from "./core.ts";
import type { GateCore } from "./core.ts";
import type { GateDecision } from "./decision.ts";
import type { GateLog } from "./gate-log.ts";
import { handleFetch } from "./fetch-handler.ts";
import type { GateRequest } from "./message.ts";
import type { GateOptions } from "./gate-options.ts";
import { GateMistakeError } from "./gate-status.ts";
import type { GateHealth, GateReadiness } from "./gate-status.ts";
import { readinessOf } from "./project.ts";
import type { ProtectedProject } from "./project.ts";
import { OPTION_NAMES, readGateOptions } from "./read-options.ts";
import { findMisframed } from "./requests/framing.ts";
import { readJa4 } from "./requests/ja4.ts";
import { takeOriginForm } from "./requests/request-target.ts";
import { forwardDecisionHeaders } from "./requests/forward-decision-headers.ts";
import { sendText } from "./server/send.ts";
import {
  guard,
  handleChallenge,
  handleRateLimit,
  isChallengeUrl,
  isRateLimitUrl,
  refuseUnreadable,
} from "./server/guard.ts";

export { GateMistakeError };
export type { GateHealth, GateOptions, GateReadiness };

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

/** Called with what the handler gets: the Request, and whatever its server passes on besides. */
export interface FetchOptions<Given extends readonly unknown[] = readonly [Request, ...never[]]> {
  /** The address of the connection. If it is a trusted proxy's, the gate reads `X-Forwarded-*`, and the application gets them. */
  ip?(...given: Given): string | undefined;
  ja4?(...given: Given): string | undefined;
}

export interface ApplicationGate {
  /**
   * Resolves when the bundle is there, or cannot be had now; requests before that are decided by `whenNoBundle`. Rejects with a
   * `GateMistakeError` when the control plane refuses and there is no earlier bundle: the gate refuses all requests until that is repaired.
   */
  readonly ready: Promise<GateReadiness>;
  /** The same facts as the health page of `reeve gate`. */
  health(): GateHealth;
  /** For `http.createServer`. */
  node(handler: Handler): Handler;
  /** For `app.use`, before anything that reads bodies. */
  express(): Middleware;
  /** For `app.register`. */
  readonly fastify: (instance: FastifyLike) => Promise<void>;
  /** For handlers of web-standard requests. `ip` and `ja4` say who the client is, because a Request does not. */
  fetch<H extends FetchHandler>(handler: H, options?: FetchOptions<Parameters<H>>): H;
  /** Reports what was counted, and lets the process end. */
  close(): Promise<void>;
}

const CONSOLE_LOG: GateLog = {
  info() {},
  warn: (details, message) => console.warn(`@reeve-hq/reeve/gate: ${message}`, details),
  error: (details, message) => console.error(`@reeve-hq/reeve/gate: ${message}`, details),
};

const HTTP_1 = "HTTP/1.1: the gate within an application does not read HTTP/2, so let a proxy in front end it";

/** Frees a middleware of the prefix below which it is mounted. */
function wholeUrl({ originalUrl, url = "" }: IncomingMessage & { readonly originalUrl?: string }): string {
  return originalUrl ?? url;
}

/** `answering` is called before the gate answers by itself. */
function createMiddleware(
  core: GateCore,
): (...args: [...Parameters<Middleware>, answering?: () => void]) => ReturnType<Middleware> {
  let isHttp2Said = false;
  return (message, res, next, answering) => {
    // Its requests have other heads, and bodies that no header announces: the gate would not see them.
    if (message.httpVersionMajor > 1) {
      answering?.();
      if (!isHttp2Said) core.log.error({}, `requests are refused: ${HTTP_1}`);
      isHttp2Said = true;
      refuseUnreadable(core, message, res, 505, { unreadable: HTTP_1 });
      return;
    }
    const misframed = findMisframed(message);
    if (misframed) {
      answering?.();
      refuseUnreadable(core, message, res, misframed.status, misframed);
      return;
    }
    takeOriginForm(message);
    const url = wholeUrl(message);
    if (isChallengeUrl(url)) {
      answering?.();
      handleChallenge(core, message, res, url).catch(next);
      return;
    }
    if (isRateLimitUrl(url)) {
      answering?.();
      handleRateLimit(core, message, res, url).catch(next);
      return;
    }
    const letThrough = (request: GateRequest, decision: GateDecision) => {
      forwardDecisionHeaders(message, request, decision, core.trust);
      const project = core.decider.findProject(request);
      // How long it takes depends on who reads it, so that is not measured.
      if (project) res.once("finish", () => core.responses.count(project, res.statusCode, null));
      next();
    };
    guard(core, message, res, url, letThrough, answering)?.catch(next);
  };
}

/** Protects an application from within. Throws a TypeError for an option that cannot be used. It asks the control plane for the bundle at once, and goes on in the background. */
export function createGate(options: GateOptions): ApplicationGate {
  const { server, key, ...configuration } = readGateOptions(options);
  const { log = CONSOLE_LOG } = options;
  warnOfAccessToken(key, "key", log);
  const core = createCore(configuration, {
    controlPlane: createControlPlane({ server, key: () => key }),
    server,
    settingNames: OPTION_NAMES,
    clock: Date.now,
    log,
  });
  const [project] = core.projects as readonly [ProtectedProject];
  const ready = core.start().then(() => readinessOf(project));
  // It does not end a process that never looks at it: the log says it, and requests are refused.
  ready.catch((error: unknown) => {
    log.error({ reason: (error as Error).message }, "no bundle: requests are refused until this is repaired");
  });
  const middleware = createMiddleware(core);
  const fastify = Object.assign(
    async (instance: FastifyLike) => {
      instance.addHook("onRequest", ({ raw }, reply, done) => {
        // Fastify has chosen the route by the other one.
        if (takeOriginForm(raw)) {
          reply.hijack();
          refuseUnreadable(core, raw, reply.raw, 400, { unreadable: "the host of the request line in Host" });
          return;
        }
        // The reply is the gate's unless it lets the request through.
        middleware(
          raw,
          reply.raw,
          (error) => done(error as Error | undefined),
          () => reply.hijack(),
        );
      });
    },
    // The hook is for the whole application, not for the routes of this plugin. https://fastify.dev/docs/latest/Reference/Plugins
    { [Symbol.for("skip-override")]: true },
  );
  return {
    ready,
    health: core.health,
    node: (handler) => (message, res) =>
      middleware(message, res, (error) => {
        if (error === undefined) return handler(message, res);
        // A client that has left is no failure.
        if (!message.destroyed) log.error({ err: error }, "a request failed");
        if (res.headersSent || message.destroyed) res.destroy();
        else sendText(message, res, 500, "This request could not be answered.");
      }),
    express: () => (message, res, next) => middleware(message, res, next),
    fastify,
    fetch: ((handler: FetchHandler, own: FetchOptions = {}) => {
      if (!own.ip) {
        const problem =
          "fetch has no option ip: conditions on addresses match nobody, and all clients share one rate limit";
        log.warn({ option: "ip" }, problem);
      }
      return (request: Request, ...rest: never[]) => {
        const sender = { peer: own.ip?.(request, ...rest) ?? undefined, ja4: readJa4(own.ja4?.(request, ...rest)) };
        return handleFetch(core, request, sender, (told) => handler(told, ...rest));
      };
    }) as ApplicationGate["fetch"],
    close: core.stop,
  };
}

// The authorization server as the HTTP layer sees it. The library behind it is loaded for the first request.
import type { IncomingMessage, ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { AdapterDependencies } from "./adapter.ts";
import { createApprovals } from "./approvals.ts";
import type { Approvals } from "./approvals.ts";
import { beginExchange } from "./exchange.ts";
import type { OAuthRequest, OAuthResponse } from "./exchange.ts";
import { createPolling } from "./polling.ts";
import { ENDPOINTS, describeServer } from "./metadata.ts";
import type { OAuthEndpoint } from "./metadata.ts";
import type { RunProvider, createProvider } from "./provider.ts";

export interface OAuth {
  /** What `handle` answers. */
  readonly endpoints: readonly OAuthEndpoint[];
  /** The metadata of the server with this issuer. */
  describe(issuer: string): Readonly<Record<string, unknown>>;
  /** Reads the request's body itself. Throws failures of the store. */
  handle(request: IncomingMessage, response: ServerResponse, about: OAuthRequest): Promise<OAuthResponse>;
  /** For the pages on which people approve programs. */
  readonly approvals: Approvals;
}

/** Without a public URL, the issuer is what the client calls this machine: a few names, and a port for each tunnel. */
const MOST_ISSUERS = 16;
const LIBRARY = "oidc-provider ";

interface Library {
  readonly createProvider: typeof createProvider;
}

/** Parts of the library that the rest needs, the first ones first: all at once would hold the event loop for a quarter of a second. */
const PARTS: readonly (() => Promise<unknown>)[] = [
  () => import("koa"),
  () => import("oidc-provider/lib/helpers/jwt.js"),
  () => import("oidc-provider/lib/helpers/configuration.js"),
  () => import("oidc-provider/lib/models/index.js"),
  () => import("oidc-provider/lib/helpers/initialize_app.js"),
];

/** The library prints about versions of Node.js that it does not know yet; the log has a form of its own. */
async function importQuietly(): Promise<Library> {
  const { warn } = console;
  console.warn = (...parts: unknown[]) => {
    if (!String(parts[0]).includes(LIBRARY)) warn(...parts);
  };
  try {
    for (const load of PARTS) {
      await load();
      await nextTurn();
    }
    return await import("./provider.ts");
  } finally {
    console.warn = warn;
  }
}

/** Headers from which the library makes URLs: they say what Reeve knows, and never what a client sent. */
function setAddress(request: IncomingMessage, { issuer, origin }: OAuthRequest): void {
  const { protocol, host, pathname } = new URL(issuer);
  request.headers["x-forwarded-proto"] = protocol.slice(0, -1);
  request.headers["x-forwarded-host"] = host;
  request.headers["x-forwarded-for"] = origin.ip;
  // The path below which a proxy serves Reeve.
  Object.assign(request, { baseUrl: pathname === "/" ? "" : pathname });
}

let loading: Promise<Library> | undefined;

async function loadLibrary(): Promise<Library> {
  try {
    return await (loading ??= importQuietly());
  } catch (error) {
    // The next request tries again: no file could be opened, for one.
    loading = undefined;
    throw error;
  }
}

export function createOAuth(dependencies: Omit<AdapterDependencies, "recordPoll">): OAuth {
  const recordPoll = createPolling(dependencies.clock);
  const providers = new Map<string, RunProvider>();

  async function providerOf(issuer: string): Promise<RunProvider> {
    const library = await loadLibrary();
    const known = providers.get(issuer);
    if (known) return known;
    const [oldest] = providers.keys();
    if (oldest !== undefined && providers.size >= MOST_ISSUERS) providers.delete(oldest);
    const made = library.createProvider(issuer, { ...dependencies, recordPoll });
    providers.set(issuer, made);
    return made;
  }

  return {
    endpoints: ENDPOINTS,
    describe: describeServer,
    approvals: createApprovals(dependencies),
    async handle(request, response, about) {
      const run = await providerOf(about.issuer);
      const exchange = beginExchange(request, about);
      setAddress(request, about);
      await run(request, response);
      if (exchange.failure !== undefined) throw exchange.failure;
      if (!exchange.response) throw new Error("the authorization server gave no answer");
      return exchange.response;
    },
  };
}

// The authorization server of the library, configured. Loading it takes a third of a second and some 40 MB, so only the first request
// to it does that (oauth.ts).
import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Provider, errors, interactionPolicy } from "oidc-provider";
import type { ClientMetadata, Configuration } from "oidc-provider";
import { createCredential } from "../../platform/kernel/credential.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { API_SCOPE, CLIENTS } from "../programs/clients.ts";
import type { OAuthClient } from "../programs/clients.ts";
import { CODE_MS, REQUEST_MS } from "../programs/rules.ts";
import { findCallerById } from "../accounts/acting.ts";
import { createAdapterFactory } from "./adapter.ts";
import type { AdapterDependencies } from "./adapter.ts";
import { exchangeOf } from "./exchange.ts";
import { COOKIES, DEVICE_GRANT, PATHS, RESPONSE_MODE } from "./metadata.ts";
import { POLL_INTERVAL_MS } from "./polling.ts";

/** The library wants a key for ID tokens although none are issued: the scope `openid` is never granted. */
const SIGNING_ALGORITHM = "ES256";

function createUnusedKey() {
  return { ...generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }) };
}

/** Of addresses on the own machine, the port may be any. RFC 8252, section 7.3 */
const FLOWS: Readonly<Record<OAuthClient["flow"], Partial<ClientMetadata>>> = {
  device: { grant_types: [DEVICE_GRANT], response_types: [], redirect_uris: [] },
  loopback: {
    grant_types: ["authorization_code"],
    response_types: ["code"],
    redirect_uris: ["http://127.0.0.1/callback", "http://[::1]/callback"],
  },
};

function describeClient({ id, name, flow }: OAuthClient): ClientMetadata {
  return {
    client_id: id,
    client_name: name,
    application_type: "native",
    token_endpoint_auth_method: "none",
    id_token_signed_response_alg: SIGNING_ALGORITHM,
    ...FLOWS[flow],
    scope: API_SCOPE,
  };
}

type Query = Readonly<Record<string, string | string[] | undefined>>;

/**
 * There is one scope, so a program may leave it out (RFC 6749, section 3.3). The library knows more response modes than the metadata
 * offers, with pages of its own: it refuses a mode by a name that it does not know.
 */
function readAuthorization({ scope = API_SCOPE, response_mode: mode, ...query }: Query) {
  const isOffered = mode === undefined || mode === RESPONSE_MODE;
  return { ...query, scope, ...(mode !== undefined && { response_mode: isOffered ? mode : "not-offered" }) };
}

/** What the program says that it runs on; people read it before they approve. */
const DEVICE_NAME = /^[\p{L}\p{N}\p{P}\p{S} ]{1,64}$/u;

function checkDeviceName(_context: unknown, name: string | undefined): void {
  if (name !== undefined && !DEVICE_NAME.test(name)) {
    throw new errors.InvalidRequest("device_name: expected 1 to 64 letters, digits, spaces and signs");
  }
}

/** Only the client that a token was issued to may ask about it, or revoke it. */
async function isOwnToken(_context: unknown, client: { clientId: string }, token: { clientId?: string | undefined }) {
  return token.clientId === client.clientId;
}

/** A person decides about each request, whatever they approved before: any program on their machine may be asking. */
function createPolicy() {
  const { Check, Prompt } = interactionPolicy;
  const check = new Check("not_approved", "the person has to approve the request", ({ oidc }) => {
    return oidc.result?.consent === undefined;
  });
  return [new Prompt({ name: "consent", requestable: true }, check)];
}

/** What Reeve offers of the library, and nothing else of what it offers by itself. */
const FEATURES: Configuration["features"] = {
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  resourceIndicators: { enabled: false },
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  introspection: { enabled: true, allowedPolicy: isOwnToken },
  revocation: { enabled: true, allowedPolicy: isOwnToken },
  deviceFlow: {
    enabled: true,
    charset: "base-20",
    mask: "****-****",
    // The adapter notes the source of each request.
    deviceInfo: () => ({}),
  },
};

function configure(issuer: string, { reader, ...dependencies }: AdapterDependencies): Configuration {
  const seconds = REQUEST_MS / SECOND_MS;
  const basePath = new URL(issuer).pathname.replace(/\/$/, "");
  return {
    adapter: createAdapterFactory({ reader, ...dependencies }),
    clients: CLIENTS.map(describeClient),
    clientAuthMethods: ["none"],
    jwks: { keys: [createUnusedKey()] },
    scopes: [API_SCOPE],
    responseTypes: ["code"],
    routes: PATHS,
    // The token's own end is chosen by a person: see finish().
    ttl: {
      AccessToken: seconds,
      AuthorizationCode: CODE_MS / SECOND_MS,
      DeviceCode: seconds,
      Grant: seconds,
      Interaction: seconds,
      Session: seconds,
    },
    cookies: {
      names: COOKIES,
      short: { httpOnly: true, sameSite: "lax" },
      long: { httpOnly: true, sameSite: "lax" },
    },
    interactions: {
      policy: createPolicy(),
      url: (_context, { uid }) => `${basePath}/console/authorize?request=${uid}`,
    },
    pkce: { required: () => true },
    loadExistingGrant: async ({ oidc }) => await oidc.provider.Grant.find(oidc.result?.consent?.grantId ?? ""),
    expiresWithSession: async () => false,
    extraParams: { device_name: checkDeviceName },
    clientBasedCORS: () => false,
    issueRefreshToken: async () => false,
    revokeGrantPolicy: () => true,
    async findAccount(_context, id) {
      const found = await findCallerById(reader, id);
      return !found || found.isSuspended ? undefined : { accountId: id, claims: async () => ({ sub: id }) };
    },
    // Pages show refusals in Reeve's own form.
    renderError(context, out) {
      context.body = out;
    },
    features: FEATURES,
  };
}

/** The members of a response that Reeve knows better than the library. */
function finish(path: string, issuer: string, body: Readonly<Record<string, unknown>>, endsInMs: number | null) {
  if (path === PATHS.device_authorization && "device_code" in body) {
    const page = `${issuer}/console/device`;
    return {
      ...body,
      verification_uri: page,
      verification_uri_complete: `${page}?user_code=${body["user_code"] as string}`,
      interval: POLL_INTERVAL_MS / SECOND_MS,
    };
  }
  if (path === PATHS.token && "access_token" in body) {
    const { expires_in: _, ...rest } = body;
    return endsInMs === null ? rest : { ...rest, expires_in: Math.floor(endsInMs / SECOND_MS) };
  }
  return body;
}

/** The library's own session is not stored: see the adapter. */
function dropSessionCookie(response: ServerResponse): void {
  const cookies = [response.getHeader("set-cookie") ?? []].flat().map(String);
  if (cookies.length === 0) return;
  const kept = cookies.filter((cookie) => !cookie.startsWith(`${COOKIES.session}=`));
  response.setHeader("set-cookie", kept);
}

/** Has the library answer a request; its answer is left in the exchange instead of being sent. */
export type RunProvider = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export function createProvider(issuer: string, dependencies: AdapterDependencies): RunProvider {
  const { clock } = dependencies;
  const provider = new Provider(issuer, configure(issuer, dependencies));
  // Addresses come from the HTTP layer, which knows the trusted proxies and the public URL: see oauth.ts.
  provider.proxy = true;
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: object) {
      Object.assign(this, { format: "opaque" });
      return createCredential("token").value;
    },
  });
  provider.use(async (context, next) => {
    if (context.path === PATHS.authorization) context.query = readAuthorization(context.query);
    await next();
    dropSessionCookie(context.res);
    // No page of another origin may use these endpoints; the library lets requests without an origin be read by all.
    for (const header of ["access-control-allow-origin", "access-control-expose-headers", "vary"])
      context.remove(header);
    const exchange = exchangeOf(context);
    const { tokenEndsAt = null } = exchange;
    const body: unknown = context.body;
    const isObject = typeof body === "object" && body !== null;
    exchange.response = {
      status: context.status,
      body: isObject
        ? finish(context.path, issuer, { ...body }, tokenEndsAt === null ? null : tokenEndsAt - clock())
        : body,
    };
    context.respond = false;
  });
  const run = provider.callback();
  return async (request, response) => await run(request, response);
}

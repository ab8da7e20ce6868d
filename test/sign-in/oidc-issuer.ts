// A real OpenID Connect provider on loopback, whose accounts sign in without being asked, and a person with a browser who goes
// there and comes back.
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import type { ClientMetadata, Configuration } from "oidc-provider";

/** Claims beside `sub`. */
export type AccountClaims = Readonly<Record<string, unknown>>;

export interface IssuerOptions {
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string;
  readonly redirectUris: readonly string[];
  /** Absent: a free one. */
  readonly port?: number;
  /** Puts all claims into the ID token, too. */
  readonly hasFullIdToken?: boolean;
  /** Of the client, beside what others have. */
  readonly client?: Partial<ClientMetadata>;
  /** Changes what the provider says about itself. */
  readonly changeMetadata?: (metadata: Record<string, unknown>) => void;
}

export interface Issuer {
  /** The issuer identifier. */
  readonly url: string;
  /** Adds or changes an account. */
  setAccount(subject: string, claims: AccountClaims): void;
  /** Says who signs in with browsers that do not say so themselves. */
  expect(subject: string): void;
  /** Goes to the provider in a new browser, signs in there, and returns the URL that the provider sends the browser back to. */
  signIn(subject: string, authorizationUrl: string): Promise<URL>;
  /** Goes there and cancels. */
  cancel(authorizationUrl: string): Promise<URL>;
  close(): Promise<void>;
}

const DISCOVERY = "/.well-known/openid-configuration";

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const SIGNING_KEY = { ...privateKey.export({ format: "jwk" }), alg: "RS256", use: "sig", kid: "test" };

const SCOPES = {
  email: ["email", "email_verified"],
  profile: ["name", "preferred_username"],
  groups: ["groups", "realm_access", "hasgroups", "_claim_names", "_claim_sources"],
};

function configure(options: IssuerOptions, accounts: ReadonlyMap<string, AccountClaims>): Configuration {
  const { clientId, clientSecret, redirectUris, hasFullIdToken = false, client = {} } = options;
  const secret =
    clientSecret === undefined
      ? { token_endpoint_auth_method: "none" as const }
      : { client_secret: clientSecret, token_endpoint_auth_method: "client_secret_basic" as const };
  return {
    clients: [{ client_id: clientId, redirect_uris: [...redirectUris], ...secret, ...client }],
    claims: { openid: ["sub"], ...SCOPES },
    conformIdTokenClaims: !hasFullIdToken,
    cookies: { keys: ["test"] },
    enabledJWA: { idTokenSigningAlgValues: ["RS256", "HS256"], userinfoSigningAlgValues: ["RS256", "HS256"] },
    features: { devInteractions: { enabled: false }, jwtUserinfo: { enabled: true } },
    findAccount: (_context, id) => {
      const claims = accounts.get(id);
      return claims && { accountId: id, claims: () => ({ sub: id, ...claims }) };
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    jwks: { keys: [SIGNING_KEY] },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 60, Interaction: 60, Session: 600 },
  };
}

/** Somebody's subject as a header, which holds ASCII alone, whatever the subject is. */
const writePerson = (subject: string) => Buffer.from(subject, "utf16le").toString("base64");
const readPerson = (header: string) => Buffer.from(header, "base64").toString("utf16le");

/** Answers what the provider asks of a person: who they are (in the query), and whether the client may know it. */
async function interact(
  provider: Provider,
  expected: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  const person = request.headers["x-person"];
  const answer = typeof person === "string" ? readPerson(person) : expected;
  if (answer === "cancel") {
    await provider.interactionFinished(request, response, { error: "access_denied", error_description: "<b>no</b>" });
    return;
  }
  if (prompt.name === "login") {
    await provider.interactionFinished(request, response, { login: { accountId: answer } });
    return;
  }
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant =
    found ?? new provider.Grant({ accountId: session?.accountId ?? "", clientId: String(params["client_id"]) });
  grant.addOIDCScope(String(params["scope"]));
  await provider.interactionFinished(
    request,
    response,
    { consent: { grantId: await grant.save() } },
    {
      mergeWithLastSubmission: true,
    },
  );
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

/** A browser's cookies, by name. */
function keepCookies(cookies: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === "") cookies.delete(name);
    else cookies.set(name, value);
  }
}

/** Follows redirects within the provider until one leads away. */
async function follow(origin: string, person: string, start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let url = new URL(start), count = 0; count < 20; count++) {
    if (url.origin !== origin) return url;
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie, "x-person": writePerson(person) } });
    keepCookies(cookies, response);
    const location = response.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${response.status}: ${await response.text()}`);
    url = new URL(location, url);
  }
  throw new Error("the provider redirects without an end");
}

export async function startIssuer(options: IssuerOptions): Promise<Issuer> {
  const accounts = new Map<string, AccountClaims>();
  let expected = "";
  const server = createServer();
  // The issuer's URL has its port, which is known once the server listens.
  const url = `http://127.0.0.1:${await listen(server, options.port ?? 0)}`;
  const provider = new Provider(url, configure(options, accounts));
  provider.use(async (context, next) => {
    await next();
    if (context.path === DISCOVERY) options.changeMetadata?.(context.body as Record<string, unknown>);
  });
  const answer = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (!request.url?.startsWith("/interaction/")) {
      void answer(request, response);
      return;
    }
    interact(provider, expected, request, response).catch((error: unknown) => {
      response.statusCode = 500;
      response.end(String(error));
    });
  });
  return {
    url,
    setAccount: (subject, claims) => void accounts.set(subject, claims),
    expect(subject) {
      expected = subject;
    },
    signIn: (subject, authorizationUrl) => follow(url, subject, authorizationUrl),
    cancel: (authorizationUrl) => follow(url, "cancel", authorizationUrl),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

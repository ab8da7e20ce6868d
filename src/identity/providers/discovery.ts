// What an OpenID Connect provider says about itself: fetched when somebody wants to sign in with it, kept for an hour, and asked for
// again at the next sign-in after a failure. A provider that is down delays neither the start nor another provider.
import type { ClientMetadata, Configuration, CustomFetch, ServerMetadata } from "openid-client";
import type { OidcProvider } from "./oidc-file.ts";
import { isProtectedUrl } from "../../platform/kernel/settings/setting-values.ts";
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";

/** For each request to a provider, s. */
const TIMEOUT_S = 10;
const FRESH_MS = HOUR_MS;
/** How far the provider's clock may be off, s. */
export const CLOCK_TOLERANCE_S = 60;

/** The library is loaded for those who sign in with a provider. */
export async function loadClient() {
  return await import("openid-client");
}

type OpenidClient = Awaited<ReturnType<typeof loadClient>>;

/** Metadata may lead anywhere: a code or a secret that crosses the network in the clear belongs to anyone who listens. */
const fetchProtected: CustomFetch = async (url, options) => {
  if (!isProtectedUrl(new URL(url))) throw new Error("the provider's metadata names a URL that is not https");
  return await fetch(url, options as RequestInit);
};

/** A secret goes into the header, which each provider must accept by default, unless the provider says otherwise. */
function authenticate(client: OpenidClient, secret: string | null) {
  if (secret === null) return client.None();
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (as: ServerMetadata, metadata: ClientMetadata, body: URLSearchParams, headers: Headers) => {
    const methods = as.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(as, metadata, body, headers);
  };
}

async function discover({ issuer, clientId, clientSecret }: OidcProvider): Promise<Configuration> {
  const client = await loadClient();
  const url = new URL(issuer);
  return await client.discovery(
    url,
    clientId,
    { [client.clockTolerance]: CLOCK_TOLERANCE_S },
    authenticate(client, clientSecret),
    {
      timeout: TIMEOUT_S,
      [client.customFetch]: fetchProtected,
      execute: [client.enableNonRepudiationChecks, ...(url.protocol === "http:" ? [client.allowInsecureRequests] : [])],
    },
  );
}

/** Finds out about one provider; concurrent callers share a request. Throws what the library or the network throws. */
export function createDiscovery(provider: OidcProvider): () => Promise<Configuration> {
  let known: { readonly configuration: Configuration; readonly foundAt: number } | null = null;
  let pending: Promise<Configuration> | null = null;
  async function refresh(): Promise<Configuration> {
    try {
      const configuration = await discover(provider);
      known = { configuration, foundAt: performance.now() };
      return configuration;
    } finally {
      pending = null;
    }
  }
  return async () => {
    if (known !== null && performance.now() - known.foundAt < FRESH_MS) return known.configuration;
    return await (pending ??= refresh());
  };
}

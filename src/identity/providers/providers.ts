// Sign-in with OpenID Connect providers: where to send somebody, and who they are when they come back. Authorization code with PKCE,
// as RFC 9700 asks of clients. Tokens are used for their claims and then forgotten.
import type { Configuration } from "openid-client";
import type { OidcProvider } from "./oidc-file.ts";
import { isProtectedUrl } from "../../platform/kernel/settings/setting-values.ts";
import { createSecretCode } from "../../platform/kernel/credential.ts";
import { notFound } from "../../platform/kernel/errors.ts";
import { SECOND_MS } from "../../platform/kernel/scheduling/clock.ts";
import { findTokenProblem } from "../../platform/kernel/text/identifying-value.ts";
import type { ProviderIdentity } from "../methods/identities/identities.ts";
import { CLOCK_TOLERANCE_S, createDiscovery, loadClient } from "./discovery.ts";
import { readIdentity } from "./identity.ts";
import type { Claims } from "./identity.ts";
import { describeFailure, failOfUserinfo, refuseFailure, unavailable, unknownStep } from "./provider-failure.ts";
import type { FailureDetails } from "./provider-failure.ts";
import { describeAbsence, findAbsentClaims, mergeClaims } from "./role-mapping.ts";

/** What is kept between the way to a provider and the way back, as plain data. Anyone who has it can finish the sign-in. */
export interface ProviderStep {
  readonly providerId: string;
  /** Binds the response to this way (RFC 6749, section 10.12). */
  readonly state: string;
  /** Binds the ID token to it. */
  readonly nonce: string;
  /** Binds the code to it (RFC 7636). */
  readonly verifier: string;
  /** The page to go to afterwards. */
  readonly returnTo: string;
  /** How long ago the provider may have seen the person prove who they are, s; null: however long. */
  readonly maxAgeS: number | null;
}

export interface ProvenIdentity extends ProviderIdentity {
  /** How long ago the person proved to the provider who they are; 0 where the provider does not say. */
  readonly ageMs: number;
  /** Of the ID token and the userinfo endpoint, for role mappings. */
  readonly claims: Claims;
}

export interface Providers {
  /** In the order of the configuration. */
  readonly list: readonly OidcProvider[];
  /** From now on these are the providers. Ways to one that stays, by its id, go on. */
  replace(providers: readonly OidcProvider[]): void;
  /** Throws `not_found`. */
  get(providerId: string): OidcProvider;
  /** Throws `not_found` or `provider_unavailable`. */
  begin(
    providerId: string,
    options: { readonly returnTo: string; readonly maxAgeS?: number },
  ): Promise<{ readonly url: string; readonly step: ProviderStep }>;
  /** `query` is that of the redirect back. Throws `not_found`, `provider_unavailable` or `provider_refused`. */
  finish(providerId: string, step: ProviderStep, query: string): Promise<ProvenIdentity>;
}

export interface ProviderDependencies {
  readonly providers: readonly OidcProvider[];
  /** Base of absolute URLs, without a slash at the end. */
  readonly publicUrl: string;
  /** For the operator: what people are not told. */
  readonly logFailure: (details: FailureDetails) => void;
  /** A claim that role mappings need is absent: once for each provider and claim. */
  readonly logAbsence: (details: {
    readonly provider: string;
    readonly claim: string;
    readonly message: string;
  }) => void;
}

interface Known extends Pick<ProviderDependencies, "logFailure"> {
  readonly provider: OidcProvider;
  discover(): Promise<Configuration>;
}

/** How long ago the provider saw the person. Not every provider says when; then coming back has to do. */
function readAge({ maxAgeS }: ProviderStep, authTime: number | undefined): number {
  const ageS = authTime === undefined ? 0 : Math.max(0, Math.floor(Date.now() / SECOND_MS) - authTime);
  if (maxAgeS !== null && ageS > maxAgeS + CLOCK_TOLERANCE_S) {
    throw new Error(`the provider saw this person ${ageS} s ago, despite max_age`);
  }
  return ageS * SECOND_MS;
}

async function exchange(configuration: Configuration, callback: URL, step: ProviderStep, provider: OidcProvider) {
  const client = await loadClient();
  const tokens = await client.authorizationCodeGrant(configuration, callback, {
    expectedState: step.state,
    expectedNonce: step.nonce,
    pkceCodeVerifier: step.verifier,
    idTokenExpected: true,
  });
  const signed = tokens.claims();
  if (!signed) throw new Error("the response has no ID token");
  const problem = findTokenProblem(signed);
  if (problem !== null) throw new Error(`the ID token cannot be used, ${problem}`);
  const ageMs = readAge(step, signed.auth_time);
  const { userinfo_endpoint: userinfo } = configuration.serverMetadata();
  // Many providers leave groups, and some the address, to this endpoint. Without it, roles would be mapped from half of the claims.
  const fetched =
    userinfo === undefined
      ? {}
      : await client.fetchUserInfo(configuration, tokens.access_token, signed.sub).catch(failOfUserinfo);
  return { ...readIdentity(provider, signed, fetched), ageMs, claims: mergeClaims(signed, fetched) };
}

async function configure({ provider, discover, logFailure }: Known): Promise<Configuration> {
  try {
    const configuration = await discover();
    const endpoint = configuration.serverMetadata().authorization_endpoint ?? "";
    if (!URL.canParse(endpoint) || !isProtectedUrl(new URL(endpoint))) {
      throw new Error("the provider's metadata has no authorization_endpoint with https");
    }
    return configuration;
  } catch (error) {
    logFailure(describeFailure(provider, error));
    throw unavailable(provider);
  }
}

export function openProviders(dependencies: ProviderDependencies): Providers {
  const { publicUrl, logFailure, logAbsence } = dependencies;
  const noted = new Set<string>();
  function recordAbsence(provider: OidcProvider, claims: Claims): void {
    for (const absence of findAbsentClaims(provider.roles, claims)) {
      const details = { provider: provider.id, claim: absence.claim, message: describeAbsence(provider, absence) };
      const key = JSON.stringify([details.provider, details.message]);
      if (!noted.has(key)) logAbsence(details);
      noted.add(key);
    }
  }
  let all: ReadonlyMap<string, Known>;
  function replace(providers: readonly OidcProvider[]): void {
    all = new Map(
      providers.map((provider) => [provider.id, { provider, discover: createDiscovery(provider), logFailure }]),
    );
  }
  replace(dependencies.providers);
  const redirectUri = (id: string) => `${publicUrl}/console/sign-in/${id}/callback`;

  function get(id: string): Known {
    const found = all.get(id);
    if (!found) throw notFound("Provider");
    return found;
  }

  return {
    get list() {
      return Array.from(all.values(), ({ provider }) => provider);
    },
    replace,
    get: (id) => get(id).provider,

    async begin(providerId, { returnTo, maxAgeS = null }) {
      const known = get(providerId);
      const configuration = await configure(known);
      const client = await loadClient();
      const [state, nonce, verifier] = [createSecretCode().value, createSecretCode().value, createSecretCode().value];
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri(providerId),
        scope: known.provider.scopes.join(" "),
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
        ...(maxAgeS === null ? {} : { max_age: String(maxAgeS) }),
      });
      return { url: url.href, step: { providerId, state, nonce, verifier, returnTo, maxAgeS } };
    },

    async finish(providerId, step, query) {
      const known = get(providerId);
      const { provider } = known;
      // The response of one provider must not end the way to another. A second tab may have begun a way of its own.
      const isOfStep = step.providerId === providerId && new URLSearchParams(query).get("state") === step.state;
      if (!isOfStep) throw unknownStep(provider);
      const configuration = await configure(known);
      const callback = new URL(redirectUri(providerId));
      callback.search = query;
      try {
        const proven = await exchange(configuration, callback, step, provider);
        recordAbsence(provider, proven.claims);
        return proven;
      } catch (error) {
        logFailure(describeFailure(provider, error));
        throw refuseFailure(provider, error);
      }
    },
  };
}

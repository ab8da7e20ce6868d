// Headers that describe a request, its client or its connection: who may say them to an application. The documentation lists them by this table.
import { rememberByName } from "./name-cache.ts";

export interface Claim {
  /** What the headers say. */
  readonly about: string;
  /** From whom the application gets them. */
  readonly from: "trusted proxies" | "the gate" | "nobody";
  readonly names: readonly string[];
  /** What else begins so says it, too. */
  readonly prefixes?: readonly string[];
}

/** Describe the client's request where a proxy asks about it; where the gate has the request itself, they say nothing. */
const DESCRIPTIONS = ["x-forwarded-method", "x-forwarded-uri", "x-original-method", "x-original-uri"];

export const CLAIMS: readonly Claim[] = [
  { about: "the decision", from: "the gate", names: ["x-reeve-decision", "x-reeve-location", "x-reeve-status"] },
  // The key of the rate limits that an application asks for.
  { about: "the client's address, as the gate knows it", from: "the gate", names: ["x-real-ip"] },
  {
    about: "another method, host or path than the request has",
    from: "nobody",
    names: [
      ...DESCRIPTIONS,
      "x-original-url",
      "x-original-path",
      "x-request-uri",
      "x-rewrite-url",
      "x-override-url",
      "x-http-host-override",
    ],
  },
  // As the variable HTTP_PROXY of a CGI program, it is also what clients of HTTP take for a setting.
  { about: "a proxy for the requests that an application sends itself", from: "nobody", names: ["proxy"] },
  {
    about: "the client's address",
    from: "trusted proxies",
    names: [
      "forwarded",
      "forwarded-for",
      "x-forwarded",
      "x-forwarded-for",
      "x-original-for",
      "x-original-forwarded-for",
      "x-client-ip",
      "x-cluster-client-ip",
      "x-originating-ip",
      "x-forwarded-client-ip",
      "x-real-port",
      "x-proxyuser-ip",
      "x-remote-addr",
      "x-remote-ip",
      "client-ip",
      "proxy-client-ip",
      "true-client-ip",
      "wl-proxy-client-ip",
      "cf-connecting-ip",
      "cf-connecting-ipv6",
      "cf-pseudo-ipv4",
      "do-connecting-ip",
      "fastly-client-ip",
      "fly-client-ip",
      "x-appengine-user-ip",
      "x-azure-clientip",
      "x-azure-socketip",
      "x-envoy-external-address",
      "x-nf-client-connection-ip",
      "x-vercel-forwarded-for",
      "cloudfront-viewer-address",
    ],
  },
  {
    about: "protocol, host and port that the client asked for",
    from: "trusted proxies",
    names: [
      "x-forwarded-proto",
      "x-forwarded-protocol",
      "x-forwarded-scheme",
      "x-forwarded-ssl",
      "x-forwarded-https",
      "x-forwarded-authority",
      "x-forwarded-host",
      "x-forwarded-port",
      "x-forwarded-server",
      "x-original-host",
      "x-original-proto",
      "x-host",
      "x-scheme",
      "x-url-scheme",
      "front-end-https",
      "cloudfront-forwarded-proto",
    ],
  },
  {
    about: "the path below which the application is, and a query",
    from: "trusted proxies",
    names: [
      "x-forwarded-prefix",
      "x-forwarded-path",
      "x-forwarded-query-string",
      "x-envoy-original-path",
      "x-script-name",
    ],
  },
  // Of nginx and Authelia, oauth2-proxy, Grafana, authentik, Pomerium, Vouch, Kong, caddy-security, Tailscale, WebSEAL, SiteMinder,
  // mod_auth_openidc, and the proxies of Amazon, Azure, Cloudflare and Google.
  {
    about: "who has signed in at a proxy",
    from: "trusted proxies",
    names: [
      "x-forwarded-user",
      "x-forwarded-email",
      "x-forwarded-groups",
      "x-forwarded-preferred-username",
      "x-forwarded-access-token",
      "remote-user",
      "remote-name",
      "remote-email",
      "remote-groups",
      "x-remote-user",
      "x-remote-name",
      "x-remote-email",
      "x-remote-group",
      "x-remote-groups",
      "x-auth-request-user",
      "x-auth-request-email",
      "x-auth-request-groups",
      "x-auth-request-preferred-username",
      "x-auth-request-access-token",
      "x-webauth-user",
      "x-webauth-name",
      "x-webauth-email",
      "x-webauth-groups",
      "x-webauth-role",
      "x-authentik-username",
      "x-authentik-name",
      "x-authentik-email",
      "x-authentik-groups",
      "x-authentik-entitlements",
      "x-authentik-uid",
      "x-authentik-jwt",
      "x-pomerium-jwt-assertion",
      "x-vouch-user",
      "x-vouch-idp-accesstoken",
      "x-vouch-idp-idtoken",
      "x-authenticated-user",
      "x-authenticated-userid",
      "x-authenticated-groups",
      "x-authenticated-scope",
      "x-consumer-id",
      "x-consumer-username",
      "x-consumer-custom-id",
      "x-consumer-groups",
      "x-credential-identifier",
      "x-userinfo",
      "x-token-subject",
      "x-token-user-name",
      "x-token-user-email",
      "x-token-user-roles",
      "tailscale-user-login",
      "tailscale-user-name",
      "iv-user",
      "iv-groups",
      "iv-creds",
      "sm-user",
      "oidc-claim-sub",
      "oidc-claim-email",
      "x-amzn-oidc-identity",
      "x-amzn-oidc-data",
      "x-amzn-oidc-accesstoken",
      "x-ms-client-principal",
      "x-ms-client-principal-id",
      "x-ms-client-principal-name",
      "cf-access-authenticated-user-email",
      "x-goog-authenticated-user-id",
      "x-goog-authenticated-user-email",
      "x-apigateway-api-userinfo",
      "x-endpoint-api-userinfo",
    ],
    prefixes: [
      "x-remote-",
      "x-auth-request-",
      "x-webauth-",
      "x-authentik-",
      "x-pomerium-",
      "x-vouch-",
      "x-token-user-",
      "tailscale-user-",
      "oidc-claim-",
      "x-amzn-oidc-",
      "x-ms-client-principal-",
      "x-goog-authenticated-user-",
    ],
  },
  {
    about: "the client's certificate",
    from: "trusted proxies",
    names: [
      "client-cert",
      "client-cert-chain",
      "ssl-client-cert",
      "ssl-client-verify",
      "x-arr-clientcert",
      "x-client-cert",
      "x-client-verify",
      "x-forwarded-client-cert",
      "x-forwarded-tls-client-cert",
      "x-forwarded-tls-client-cert-info",
      "x-ssl-client-cert",
      "x-ssl-client-verify",
      "ssl-client-s-dn",
      "x-client-dn",
      "x-ssl-client-dn",
      "x-ssl-client-s-dn",
      "x-ssl-client-cn",
      "x-amzn-mtls-clientcert",
      "x-amzn-mtls-clientcert-subject",
    ],
    prefixes: ["ssl-client-", "x-ssl-client-", "x-amzn-mtls-"],
  },
  { about: "all else that proxies forward", from: "trusted proxies", names: [], prefixes: ["x-forwarded-"] },
  { about: "all else that the gate says", from: "the gate", names: [], prefixes: ["x-reeve-"] },
];

const BY_NAME = new Map(CLAIMS.flatMap(({ from, names }) => names.map((name) => [name, from] as const)));

/** Names that begin so, by who may say them. */
const BY_PREFIX = (["trusted proxies", "the gate"] as const).map((who) => {
  const prefixes = CLAIMS.flatMap(({ from, prefixes: own = [] }) => (from === who ? own : []));
  return [who, new RegExp(`^(?:${prefixes.join("|")})`)] as const;
});

/** Who may say a header; "anybody" if it is no claim. */
const findSpeaker = rememberByName(
  (name) => BY_NAME.get(name) ?? BY_PREFIX.find(([, prefix]) => prefix.test(name))?.[0] ?? "anybody",
);

/** Whether a header is a claim that the peer may not make. */
export function isClaim(name: string, isTrusted: boolean): boolean {
  const from = findSpeaker(name);
  return from !== "anybody" && (from !== "trusted proxies" || !isTrusted);
}

// Headers that describe a request, its client or its connection: who may say them to an application. The documentation lists them by this table.

export interface Claim {
  /** What the headers say. */
  readonly about: string;
  /** From whom the application gets them. */
  readonly from: "trusted proxies" | "the gate" | "nobody";
  readonly names: readonly string[];
}

/** Describe the client's request where a proxy asks about it; where the gate has the request itself, they say nothing. */
const DESCRIPTIONS = ["x-forwarded-method", "x-forwarded-uri", "x-original-method", "x-original-uri"];

/** Before the names of all that proxies forward, and of all that the gate says. */
const [FORWARDED, REEVE] = ["x-forwarded-", "x-reeve-"] as const;

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
  {
    about: "who has signed in at a proxy",
    from: "trusted proxies",
    names: [
      "x-forwarded-user",
      "x-forwarded-email",
      "x-forwarded-groups",
      "x-forwarded-preferred-username",
      "x-forwarded-access-token",
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
    ],
  },
  { about: `all else that begins with \`${FORWARDED}\``, from: "trusted proxies", names: [] },
  { about: `all else that begins with \`${REEVE}\``, from: "the gate", names: [] },
];

const TRUSTED = new Map(
  CLAIMS.flatMap(({ from, names }) => names.map((name) => [name, from === "trusted proxies"] as const)),
);

/** Whether a header is a claim that the peer may not make. */
export function isClaim(name: string, isTrusted: boolean): boolean {
  const needsTrust = TRUSTED.get(name) ?? (name.startsWith(FORWARDED) || (name.startsWith(REEVE) ? false : undefined));
  return needsTrust === false || (needsTrust === true && !isTrusted);
}

// What the authorization server says about itself, so that clients find its endpoints. RFC 8414
import { API_SCOPE } from "../programs/clients.ts";

/** The paths of the endpoints, by the library's names. */
export const PATHS = {
  authorization: "/oauth/authorize",
  device_authorization: "/oauth/device_authorization",
  token: "/oauth/token",
  revocation: "/oauth/revoke",
  introspection: "/oauth/introspect",
} as const;

/** Cookies of a browser that a program has opened, until the person has decided. */
export const COOKIES = {
  session: "reeve-oauth-session",
  interaction: "reeve-oauth",
  resume: "reeve-oauth-resume",
} as const;

export interface OAuthEndpoint {
  readonly method: "GET" | "POST";
  readonly path: string;
}

/** The library has more, which are not served. */
export const ENDPOINTS: readonly OAuthEndpoint[] = [
  { method: "GET", path: PATHS.authorization },
  // Where the browser goes on after the decision.
  { method: "GET", path: `${PATHS.authorization}/:request` },
  { method: "POST", path: PATHS.device_authorization },
  { method: "POST", path: PATHS.token },
  { method: "POST", path: PATHS.revocation },
  { method: "POST", path: PATHS.introspection },
];

/** How a browser brings the answer back. */
export const RESPONSE_MODE = "query";

export const DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code";

const PUBLIC_CLIENTS = ["none"];

/** `issuer` has no slash at the end. */
export function describeServer(issuer: string): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: issuer + PATHS.authorization,
    token_endpoint: issuer + PATHS.token,
    device_authorization_endpoint: issuer + PATHS.device_authorization,
    revocation_endpoint: issuer + PATHS.revocation,
    introspection_endpoint: issuer + PATHS.introspection,
    grant_types_supported: ["authorization_code", DEVICE_GRANT],
    response_types_supported: ["code"],
    response_modes_supported: [RESPONSE_MODE],
    scopes_supported: [API_SCOPE],
    token_endpoint_auth_methods_supported: PUBLIC_CLIENTS,
    revocation_endpoint_auth_methods_supported: PUBLIC_CLIENTS,
    introspection_endpoint_auth_methods_supported: PUBLIC_CLIENTS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${issuer}/docs`,
  };
}

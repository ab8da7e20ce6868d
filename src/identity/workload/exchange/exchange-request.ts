// The parameters of a token exchange (RFC 8693, section 2.1), from a form or from JSON.
import { MAX_TOKEN_LENGTH } from "../contract.ts";
import { fieldError } from "../../../platform/kernel/errors.ts";
import type { ApiError } from "../../../platform/kernel/errors.ts";
import { PERMISSIONS } from "../../../platform/kernel/roles.ts";
import type { Permission } from "../../../platform/kernel/roles.ts";

export const GRANT_TYPE = "urn:ietf:params:oauth:grant-type:token-exchange";
export const ACCESS_TOKEN_TYPE = "urn:ietf:params:oauth:token-type:access_token";
const SUBJECT_TYPES = ["urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id_token"];
const MAX_LENGTH = 1_024;

/** The value of each parameter; what the protocol does not know is ignored, as it asks (RFC 6749, section 3.2). */
export type ExchangeParameters = (name: string) => unknown;

export interface ExchangeRequest {
  readonly token: string;
  /** The rule, team or account whose trust rules count. */
  readonly target: string;
  /** Null: all that the rule gives. */
  readonly permissions: readonly Permission[] | null;
}

const refuse = (field: string, problem: string): ApiError => fieldError("bad_request", field, problem);

function readText(parameters: ExchangeParameters, name: string, maxLength = MAX_LENGTH): string | null {
  const value = parameters(name);
  if (value === undefined || value === "") return null;
  if (typeof value !== "string") throw refuse(name, "expected text, once");
  if (value.length > maxLength) throw refuse(name, `expected at most ${maxLength} characters`);
  return value;
}

function requireOneOf(
  parameters: ExchangeParameters,
  name: string,
  expected: readonly string[],
  isOptional = false,
): void {
  const value = readText(parameters, name);
  if (value === null ? !isOptional : !expected.includes(value)) throw refuse(name, `expected ${expected.join(" or ")}`);
}

function readScope(parameters: ExchangeParameters): readonly Permission[] | null {
  const text = readText(parameters, "scope");
  if (text === null) return null;
  const names = new Set(text.split(" ").filter((name) => name !== ""));
  const permissions = PERMISSIONS.filter((permission) => names.has(permission));
  if (permissions.length === 0 || permissions.length < names.size) {
    throw refuse("scope", "expected permissions with spaces between them, such as secret:read secret:reveal");
  }
  return permissions;
}

/** `ownUrl`: where this server is found; null: nobody has said. */
export function readExchange(parameters: ExchangeParameters, ownUrl: string | null): ExchangeRequest {
  requireOneOf(parameters, "grant_type", [GRANT_TYPE]);
  requireOneOf(parameters, "subject_token_type", SUBJECT_TYPES);
  requireOneOf(parameters, "requested_token_type", [ACCESS_TOKEN_TYPE], true);
  if (readText(parameters, "actor_token", MAX_TOKEN_LENGTH) !== null) {
    throw refuse("actor_token", "expected none: nobody acts for another here");
  }
  const resource = readText(parameters, "resource");
  if (resource !== null && resource !== ownUrl) {
    throw refuse("resource", ownUrl === null ? "expected none: set REEVE_PUBLIC_URL" : `expected ${ownUrl}, or none`);
  }
  const token = readText(parameters, "subject_token", MAX_TOKEN_LENGTH);
  if (token === null) throw refuse("subject_token", "is required");
  const target = readText(parameters, "audience");
  if (target === null) {
    throw refuse(
      "audience",
      "expected the id or slug of a team, or the id of a trust rule or account: who is to accept the token",
    );
  }
  return { token, target, permissions: readScope(parameters) };
}

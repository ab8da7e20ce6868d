// Examples of calls for the documentation: those of the contracts, with values for the path.
import { SDK_FUNCTIONS } from "./sdk-functions.ts";
import type { NamedEndpoint } from "../../platform/operations/endpoint-details.ts";

/** The team of all examples. */
export const EXAMPLE_TEAM = "acme";

/** Values of path parameters by name; ids look like those that the server makes. */
const PATH_VALUES: Readonly<Record<string, string>> = {
  alias: "OLD_DATABASE_URL",
  configVersion: "active",
  decisionId: "UfzlfYGPYJ0007",
  deliveryId: "uev_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  environment: "staging",
  environmentSlugOrId: "staging",
  gitBranch: "main",
  id: "env_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  idOrName: "shop",
  identityId: "identity_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  inviteCode: "65f1c0a9d27b4e83a1f06c95",
  inviteId: "65f1c0a9d27b4e83a1f06c95",
  keyId: "key_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  trustId: "trust_0Ux3f7Qb2LmNpRsTvWxYz1aB",
  name: "DATABASE_URL",
  otherVersion: "draft",
  passkeyId: "passkey_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  project: "shop",
  replayId: "replay_2mXw4Tn9KfLbR7Gq5VcYhJdP",
  sessionId: "current",
  target: "production",
  teamId: EXAMPLE_TEAM,
  tokenId: "current",
  uid: "2mXw4Tn9KfLbR7Gq5VcYhJdP",
  userId: "2mXw4Tn9KfLbR7Gq5VcYhJdP",
  version: "1",
  webhookId: "account_hook_2mXw4Tn9KfLbR7Gq5VcYhJdP",
};

/** The value of a parameter in a path. */
export function pathExample(name: string, { endpoint }: NamedEndpoint): string {
  // Some endpoints take the draft alone, or begin with it.
  const { access, method, params, path } = endpoint;
  const schema: { readonly enum?: readonly string[] } | undefined = params?.properties[name];
  const values = schema?.enum;
  const isActivation = method === "POST" && path.endsWith("/activate") && access.kind === "owner";
  const value = values?.[0] ?? (isActivation ? "draft" : PATH_VALUES[name]);
  if (value === undefined)
    throw new Error(`give the parameter ${name} an example in src/serve/reference/endpoint-examples.ts`);
  return value;
}

/** How the function of `@vercel/sdk` is called that makes the example's call. */
export interface SdkExample {
  /** `group.name` */
  readonly function: string;
  /** Its argument; absent: it takes none. */
  readonly request?: unknown;
}

export function sdkExample(named: NamedEndpoint): SdkExample | undefined {
  const { id, endpoint } = named;
  const sdk = SDK_FUNCTIONS[id];
  if (!sdk) return undefined;
  const { name, takes = "request", renamed = {}, hasNoBody } = sdk;
  if (takes === "nothing") return { function: name };
  const { body, query = {} } = endpoint.example ?? {};
  if (takes === "body") return { function: name, request: body ?? {} };
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, parameter = ""]) => parameter);
  const request = {
    ...Object.fromEntries(names.map((parameter) => [renamed[parameter] ?? parameter, pathExample(parameter, named)])),
    ...query,
    ...(endpoint.access.kind === "owner" && !sdk.hasNoTeam ? { teamId: EXAMPLE_TEAM } : {}),
    ...(endpoint.body && !hasNoBody ? { requestBody: sdk.isListed ? [body] : (body ?? {}) } : {}),
  };
  return { function: name, request };
}

// Reads the values of an environment, and again only if they have changed.
import type { EnvironmentPlace } from "../remote/place-names.ts";
import { teamQuery } from "../../../client/client.ts";
import type { Client } from "../../../client/client.ts";
import { ReeveError, errorOf } from "../../../client/error.ts";
import type { CallOptions } from "../../../client/transport.ts";
import { ERROR_STATUS } from "../../../platform/kernel/errors.ts";
import type { ErrorCode } from "../../../platform/kernel/errors.ts";

export interface Values {
  readonly values: Readonly<Record<string, string>>;
  /** For the next read. */
  readonly etag: string;
}

function isValues(body: unknown): body is Values["values"] {
  return typeof body === "object" && body !== null && Object.values(body).every((one) => typeof one === "string");
}

/** What is said with a response that is no success. What stands in front of a server has the same statuses, and another form or other codes. */
async function refusalOf(response: Response): Promise<ReeveError> {
  const { status } = response;
  const body = (await response
    .clone()
    .json()
    .catch(() => null)) as { readonly error?: { readonly code?: unknown } } | null;
  const code = body?.error?.code;
  const isOfReeve = typeof code === "string" && ERROR_STATUS[code as ErrorCode] === status;
  if (isOfReeve) return await errorOf(response);
  return new ReeveError(`The server responds with ${status} and no error of the API`, { status, code: "not_json" });
}

/** Null: they have the `ETag` that is known. */
export async function readValues(
  client: Client,
  { team, project, environment, names }: EnvironmentPlace,
  etag: string | null,
  options: CallOptions,
): Promise<Values | null> {
  const path = `/v1/environments/${encodeURIComponent(project)}/${encodeURIComponent(environment)}/values`;
  const response = await client.request("GET", path, {
    ...options,
    query: { ...(team === null ? {} : teamQuery(team)), ...(names === null ? {} : { names }) },
    // A proxy may remove the ETag.
    headers: etag ? { "if-none-match": etag } : {},
  });
  if (response.status === 304) return null;
  if (!response.ok) throw await refusalOf(response);
  const body: unknown = await response.json().catch(() => null);
  if (isValues(body)) return { values: body, etag: response.headers.get("etag") ?? "" };
  const { status } = response;
  throw new ReeveError(`The server responds with ${status} and no values`, { status, code: "not_json" });
}

/** Whether a failure says nothing about the credential or the environment: Reeve did not respond, or can't serve anybody at the moment. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ReeveError)) return false;
  const { status, code } = error;
  return status === 0 || code === "not_json" || code === "redirected" || status === 429 || status >= 500;
}

/** Whether the server refuses the credential or the values: it has no such environment for it, or a secret may not be read any more. */
export function isRefused(error: unknown): boolean {
  return error instanceof ReeveError && !isUnreachable(error) && [401, 403, 404, 409].includes(error.status);
}

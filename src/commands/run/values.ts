// Reads the values of an environment, and again only if they have changed.
import type { EnvironmentPlace } from "../../cli/remote.ts";
import { teamQuery } from "../../client/client.ts";
import type { Client } from "../../client/client.ts";
import { ReeveError, errorOf } from "../../client/error.ts";
import type { CallOptions } from "../../client/transport.ts";

export interface Values {
  readonly values: Readonly<Record<string, string>>;
  /** For the next read. */
  readonly etag: string;
}

function isValues(body: unknown): body is Values["values"] {
  return typeof body === "object" && body !== null && Object.values(body).every((one) => typeof one === "string");
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
    query: { ...(team === null ? {} : teamQuery(team)), names },
    headers: etag === null ? {} : { "if-none-match": etag },
  });
  if (response.status === 304) return null;
  if (!response.ok) throw await errorOf(response);
  const body: unknown = await response.json().catch(() => null);
  if (isValues(body)) return { values: body, etag: response.headers.get("etag") ?? "" };
  const { status } = response;
  throw new ReeveError(`The server responds with ${status} and no values`, { status, code: "not_json" });
}

/** Whether a failure says nothing about the credential or the environment: there was no response of Reeve. */
export function isUnreachable(error: unknown): boolean {
  if (!(error instanceof ReeveError)) return false;
  return error.status === 0 || (error.code === "not_json" && [502, 503, 504].includes(error.status));
}

/** Whether the server refused the credential, or has no such environment for it. */
export function isRefused(error: unknown): boolean {
  return error instanceof ReeveError && [401, 403, 404].includes(error.status);
}

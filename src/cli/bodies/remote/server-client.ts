// The client, as this command line uses it.
import { createClient } from "../../../client/client.ts";
import { errorOf } from "../../../client/error.ts";
import type { Client } from "../../../client/client.ts";
import { explainRemote } from "./remote-failure.ts";
import { VERSION } from "../../../platform/kernel/version.ts";

/** A client of a server, without a credential where there is none. */
export function clientOf(server: string, token?: string, team?: string): Client {
  const userAgent = `reeve/${VERSION} (${process.platform})`;
  return createClient({
    server,
    userAgent,
    ...(token !== undefined && { token }),
    ...(team !== undefined && { team }),
  });
}

/** What an endpoint of OAuth answers: any status is for the caller to judge, but that of no Reeve. */
export interface FormAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | null;
  /** Why the command fails if this is no success. */
  failure(): Promise<unknown>;
}

/** Posts a form of OAuth, once: each of them is a request of its own. */
export async function postForm(
  server: string,
  path: string,
  form: Readonly<Record<string, string>>,
): Promise<FormAnswer> {
  const peer = { server, context: null, isSignedIn: false };
  try {
    const response = await clientOf(server).request("POST", path, { form, retries: 0 });
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => null);
    return {
      status: response.status,
      body: typeof body === "object" ? (body as FormAnswer["body"]) : null,
      failure: async () => explainRemote(await errorOf(response), peer),
    };
  } catch (error) {
    throw explainRemote(error, peer);
  }
}

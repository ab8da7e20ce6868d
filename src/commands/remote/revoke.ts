// Revokes the token of a context. RFC 7009
import type { Context } from "./contexts.ts";
import { refusedBy, sendRequest } from "./http-client.ts";

/** This command line, to the authorization server. */
export const CLIENT_ID = "reeve-cli";

/** Succeeds for a token that is not valid any more, too. */
export async function revoke({ server, token }: Pick<Context, "server" | "token">): Promise<void> {
  const form = { client_id: CLIENT_ID, token };
  const response = await sendRequest(server, { method: "POST", path: "/oauth/revoke", form });
  if (response.status !== 200) throw refusedBy(server, response);
}

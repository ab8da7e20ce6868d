// Revokes the token of a context. RFC 7009
import type { Context } from "./contexts.ts";
import { postForm } from "./server-client.ts";

/** This command line, to the authorization server. */
export const CLIENT_ID = "reeve-cli";

/** Succeeds for a token that is not valid any more, too. */
export async function revoke({ server, token }: Pick<Context, "server" | "token">): Promise<void> {
  const form = { client_id: CLIENT_ID, token };
  const answer = await postForm(server, "/oauth/revoke", form);
  if (answer.status !== 200) throw await answer.failure();
}

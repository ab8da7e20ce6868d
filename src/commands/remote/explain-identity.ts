// Asks a server why it exchanges a token for an API key, or does not. The token goes to that server alone, in a body.
import type { IdentityExplanation, IdentityQuestion, RemoteFlags } from "../../cli/remote.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { connect, refuseRevoked } from "./connection.ts";
import { readContexts } from "./contexts.ts";
import { notReeve, refusedBy, sendRequest } from "./http-client.ts";

export async function explainIdentity(
  settings: RemoteSettings,
  flags: RemoteFlags,
  { token, team }: IdentityQuestion,
): Promise<IdentityExplanation> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { server } = connection;
  const scope = team === null ? "" : `?${team.startsWith("team_") ? "teamId" : "slug"}=${encodeURIComponent(team)}`;
  const path = `/v1/identity/explain${scope}`;
  const response = await sendRequest(server, { method: "POST", path, token: connection.token, json: { token } });
  refuseRevoked(connection, response);
  const { status, body } = response;
  if (status !== 200) throw refusedBy(server, response);
  if (body === null) throw notReeve(server);
  return { server, ...(body as unknown as Omit<IdentityExplanation, "server">) };
}

// Who a credential is to its server.
import type { RemoteFlags, RemoteIdentity } from "../../cli/remote.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { callServer, connect, whereAllowed } from "./connection.ts";
import { readContexts } from "./contexts.ts";

export async function identify(settings: RemoteSettings, flags: RemoteFlags): Promise<RemoteIdentity> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const [user, token] = await callServer(connection, async (client) => {
    const account = await whereAllowed(client.call("getCurrentUser"));
    const own = await whereAllowed(client.call("getToken", { params: { tokenId: "current" } }));
    return [account?.user ?? null, own?.token ?? null] as const;
  });
  const { server, context } = connection;
  return {
    server,
    context,
    user: user ? { id: user.id, username: user.username, email: user.email } : null,
    token: token
      ? { id: token.id, name: token.name, teamId: token.teamId ?? null, expiresAt: token.expiresAt ?? null }
      : null,
  };
}

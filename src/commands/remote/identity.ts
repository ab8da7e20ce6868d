// Who a credential is to its server.
import type { RemoteFlags, RemoteIdentity } from "../../cli/remote.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { connect, read } from "./connection.ts";
import { readContexts } from "./contexts.ts";

interface UserBody {
  readonly id: string;
  readonly username: string;
  readonly email: string;
}

interface TokenBody {
  readonly id: string;
  readonly name: string;
  readonly teamId?: string;
  readonly expiresAt?: number;
}

export async function identify(settings: RemoteSettings, flags: RemoteFlags): Promise<RemoteIdentity> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { user } = ((await read(connection, "/v2/user")) ?? {}) as { readonly user?: UserBody };
  const { token } = ((await read(connection, "/v5/user/tokens/current")) ?? {}) as { readonly token?: TokenBody };
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

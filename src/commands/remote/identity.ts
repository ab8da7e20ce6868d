// Who a credential is to its server.
import type { RemoteFlags, RemoteIdentity } from "../../cli/remote.ts";
import { ReeveError } from "../../client/error.ts";
import type { Client } from "../../client/client.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { callServer, connect, whereAllowed } from "./connection.ts";
import { readContexts } from "./contexts.ts";

type Account = Pick<RemoteIdentity, "user"> & {
  /** The credential is of an account, also where it is limited and may not act for its user. */
  readonly isOfUser: boolean;
};

async function readAccount(client: Client): Promise<Account> {
  try {
    const { id, username, email } = (await client.call("getCurrentUser")).user;
    return { user: { id, username, email }, isOfUser: true };
  } catch (error) {
    if (!(error instanceof ReeveError) || error.status !== 403) throw error;
    return { user: null, isOfUser: error.details["scope"] === "limits" };
  }
}

async function readToken(client: Client): Promise<RemoteIdentity["token"]> {
  const own = await whereAllowed(client.call("getToken", { params: { tokenId: "current" } }));
  if (own === null) return null;
  const { id, name, teamId = null, allows, expiresAt = null } = own.token;
  return { id, name, teamId, allows, expiresAt };
}

/** A team's key sees its team alone, if it may. */
async function readOwnTeam(client: Client): Promise<{ readonly id: string; readonly slug: string } | null> {
  const [team] = (await whereAllowed(client.call("listTeams")))?.teams ?? [];
  return team ? { id: team.id, slug: team.slug } : null;
}

export async function identify(settings: RemoteSettings, flags: RemoteFlags): Promise<RemoteIdentity> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { server, context } = connection;
  return await callServer(connection, async (client) => {
    const { user, isOfUser } = await readAccount(client);
    const token = await readToken(client);
    const apiKey: RemoteIdentity["apiKey"] =
      token !== null
        ? null
        : isOfUser
          ? { owner: "user", team: null }
          : { owner: "team", team: await readOwnTeam(client) };
    return { server, context, user, token, apiKey };
  });
}

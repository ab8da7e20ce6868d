// Who a credential is to its server.
import type { RemoteFlags } from "./connection.ts";
import type { Client } from "../../../client/client.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { callServer, connect, whereAllowed } from "./connection.ts";
import { readContexts } from "./contexts.ts";

/** What limits a credential, as the API names it; null: nothing does. */
export interface CredentialLimits {
  readonly permissions: readonly string[] | null;
  readonly projects: readonly string[] | null;
  readonly environments: readonly string[] | null;
  readonly names: readonly string[] | null;
  /** Empty: any address. */
  readonly allowedCidrs: readonly string[];
  /** What it may do, in plain words. */
  readonly allows: string;
}

/** Who a credential is to its server. */
export interface RemoteIdentity {
  readonly server: string;
  /** Null: the credential is that of REEVE_TOKEN. */
  readonly context: string | null;
  /** Null: an API key that does not act for a user. */
  readonly user: { readonly id: string; readonly username: string; readonly email: string } | null;
  /** Null: an API key. */
  readonly token:
    | (CredentialLimits & {
        readonly id: string;
        readonly name: string;
        /** The one team that it is limited to. */
        readonly teamId: string | null;
        /** ms; null: never. */
        readonly expiresAt: number | null;
      })
    | null;
  /** Null: an access token. */
  readonly apiKey:
    | (CredentialLimits & {
        readonly id: string;
        readonly name: string;
        readonly owner: "team" | "user";
        /** The most that it may do. */
        readonly role: string;
        /** The team that owns it, without its slug where the key may not read it; null: a user does. */
        readonly team: { readonly id: string; readonly slug: string | null } | null;
        /** Of the value that was used, ms; null: never. */
        readonly expiresAt: number | null;
      })
    | null;
}

async function readUser(client: Client): Promise<RemoteIdentity["user"]> {
  const own = await whereAllowed(client.call("getCurrentUser"));
  if (own === null) return null;
  const { id, username, email } = own.user;
  return { id, username, email };
}

function limitsOf(credential: CredentialLimits): CredentialLimits {
  const { permissions, projects, environments, names, allowedCidrs, allows } = credential;
  return { permissions, projects, environments, names, allowedCidrs, allows };
}

async function readToken(client: Client): Promise<RemoteIdentity["token"]> {
  const own = await whereAllowed(client.call("getToken", { params: { tokenId: "current" } }));
  if (own === null) return null;
  const { id, name, teamId = null, expiresAt = null } = own.token;
  return { id, name, teamId, ...limitsOf(own.token), expiresAt };
}

async function readKey(client: Client): Promise<RemoteIdentity["apiKey"]> {
  const { apiKey } = await client.call("getCurrentApiKey");
  const { id, name, ownerId, role, expiresAt } = apiKey;
  const key = { id, name, role, ...limitsOf(apiKey), expiresAt };
  if (!ownerId.startsWith("team_")) return { ...key, owner: "user", team: null };
  // A team's key sees its team alone, if it may.
  const [team] = (await whereAllowed(client.call("listTeams")))?.teams ?? [];
  return { ...key, owner: "team", team: { id: ownerId, slug: team?.slug ?? null } };
}

export async function identify(settings: RemoteSettings, flags: RemoteFlags): Promise<RemoteIdentity> {
  const connection = connect(await readContexts(settings.contextsFile), settings, flags);
  const { server, context } = connection;
  return await callServer(connection, async (client) => {
    const user = await readUser(client);
    const token = await readToken(client);
    const apiKey = token === null ? await readKey(client) : null;
    return { server, context, user, token, apiKey };
  });
}

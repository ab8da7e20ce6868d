// The client of a command: for the server and with the credential that the command works with.
import type { FindNamed, Peer } from "./remote-failure.ts";
import type { RemoteFlags } from "./connection.ts";
import { givenBy } from "./place-names.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { connect } from "./connection.ts";
import { readContexts } from "./contexts.ts";
import { clientOf } from "./server-client.ts";
import type { Client } from "../../../client/client.ts";

/** A server with the client that calls it. */
export interface RemoteClient extends Peer {
  readonly client: Client;
}

export async function openClient(settings: RemoteSettings, flags: RemoteFlags, team?: string): Promise<RemoteClient> {
  const { server, token, context } = connect(await readContexts(settings.contextsFile), settings, flags);
  const findNamed: FindNamed = (what) =>
    what === "team" && team !== undefined ? { value: team, by: givenBy("team") } : undefined;
  const peer: Peer = { server, context, isSignedIn: true, findNamed };
  return { ...peer, client: clientOf(server, token, team) };
}

// The client of a command: for the server and with the credential that the command works with.
import type { FindNamed, Peer } from "../../cli/remote-failure.ts";
import type { RemoteClient, RemoteFlags } from "../../cli/remote.ts";
import { givenBy } from "../../cli/place-options.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { connect } from "./connection.ts";
import { readContexts } from "./contexts.ts";
import { clientOf } from "./server-client.ts";

export async function openClient(settings: RemoteSettings, flags: RemoteFlags, team?: string): Promise<RemoteClient> {
  const { server, token, context } = connect(await readContexts(settings.contextsFile), settings, flags);
  const findNamed: FindNamed = (what) =>
    what === "team" && team !== undefined ? { value: team, by: givenBy("team") } : undefined;
  const peer: Peer = { server, context, isSignedIn: true, findNamed };
  return { ...peer, client: clientOf(server, token, team) };
}

// Which server a command works on, with which credential: the variables for programs, or a context of a person.
import { Failure } from "../../cli/failure.ts";
import type { RemoteFlags } from "../../cli/remote.ts";
import type { RemoteSettings } from "../../config/remote-settings.ts";
import { getContext } from "./contexts.ts";
import type { Contexts } from "./contexts.ts";
import { messageOf, notReeve, refusedBy, sendRequest } from "./http-client.ts";
import type { RemoteResponse } from "./http-client.ts";

export interface Connection {
  readonly server: string;
  readonly token: string;
  /** Null: the credential is that of REEVE_TOKEN. */
  readonly context: string | null;
}

function notSignedIn(server: string | null): Failure {
  const command = server === null ? "reeve login --server <url>" : `reeve login --server ${server}`;
  const where = server === null ? "" : ` to ${server}`;
  return new Failure("refused", `you are not signed in${where}: run \`${command}\``, "not_signed_in");
}

/** The context that the flags name, or the one of a server, or the current one. */
export function chooseContext(contexts: Contexts, { context }: RemoteFlags, server: string | null): string {
  if (context !== undefined) {
    const { server: own } = getContext(contexts, context);
    if (server === null || own === server) return context;
    throw new Failure("usage", `the context ${context} is of ${own}, not of ${server}: give one of the two`);
  }
  const { current, contexts: all } = contexts;
  const isOf = (name: string) => server === null || all[name]?.server === server;
  if (current !== null && Object.hasOwn(all, current) && isOf(current)) return current;
  const found = server === null ? undefined : Object.keys(all).find(isOf);
  if (found === undefined) throw notSignedIn(server);
  return found;
}

/** Throws a Failure that says how to sign in where there is no credential. */
export function connect(
  contexts: Contexts,
  { server, token, tokenServer }: RemoteSettings,
  flags: RemoteFlags,
): Connection {
  if (token !== null && flags.context === undefined) {
    if (tokenServer === null) {
      throw new Failure("settings", "REEVE_TOKEN: set REEVE_SERVER too, so that it goes to its own server alone");
    }
    // A flag may name another server: the token is not for that.
    if (server === tokenServer) return { server: tokenServer, token, context: null };
  }
  const name = chooseContext(contexts, flags, server);
  const context = getContext(contexts, name);
  return { server: context.server, token: context.token, context: name };
}

function revoked({ server, context }: Connection): Failure {
  const advice = context === null ? "set REEVE_TOKEN to another one" : `run \`reeve login --server ${server}\``;
  const whose = context === null ? "the token of REEVE_TOKEN" : `the token of the context ${context}`;
  return new Failure(
    "refused",
    `${server} does not accept ${whose}: it was revoked or has expired; ${advice}`,
    "token_revoked",
  );
}

/** Throws when the server does not know the credential. */
export function refuseRevoked(connection: Connection, { status, body }: RemoteResponse): void {
  if (status === 401 && body !== null) throw revoked(connection);
}

/** Asks for a resource. Throws when the server does not know the credential. */
export async function ask(connection: Connection, path: string): Promise<RemoteResponse> {
  const { server, token } = connection;
  const response = await sendRequest(server, { method: "GET", path, token });
  refuseRevoked(connection, response);
  return response;
}

/** Reads a resource; null: the credential may not see it. */
export async function read(connection: Connection, path: string): Promise<Readonly<Record<string, unknown>> | null> {
  const { server } = connection;
  const response = await ask(connection, path);
  const { status, body } = response;
  if (status === 403 && body !== null && messageOf(response) !== "") return null;
  if (status !== 200) throw refusedBy(server, response);
  if (body === null) throw notReeve(server);
  return body;
}

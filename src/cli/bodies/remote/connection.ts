// Which server a command works on, with which credential: the variables for programs, or a context of a person.
import { Failure } from "../../../platform/outcomes/failure.ts";
import { explainRemote } from "./remote-failure.ts";
import { ReeveError } from "../../../client/error.ts";
import type { Client } from "../../../client/client.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { getContext } from "./contexts.ts";
import type { Contexts } from "./contexts.ts";
import { clientOf } from "./server-client.ts";

/** Which server a command works on, and as whom. */
export interface RemoteFlags {
  /** URL of the server. */
  readonly server?: string | undefined;
  /** Name of the context. */
  readonly context?: string | undefined;
}

export interface Connection {
  readonly server: string;
  readonly token: string;
  /** Null: the credential is that of REEVE_TOKEN. */
  readonly context: string | null;
}

/** `tokenServer` is the one that REEVE_TOKEN is for, where that is set. */
function notSignedIn(server: string | null, tokenServer: string | null): Failure {
  const command = server === null ? "reeve login --server URL" : `reeve login --server ${server}`;
  const where = server === null ? "" : ` to ${server}`;
  const problem =
    tokenServer === null
      ? `you are not signed in${where}: run`
      : `REEVE_TOKEN is for ${tokenServer} (REEVE_SERVER) and is not sent${where}: set REEVE_SERVER to it, or run`;
  return new Failure("denied", `${problem} \`${command}\``, "not_signed_in");
}

/** The context that the flags name, or the one of a server, or the current one. */
export function chooseContext(
  contexts: Contexts,
  { context }: RemoteFlags,
  server: string | null,
  tokenServer: string | null = null,
): string {
  if (context !== undefined) {
    const { server: own } = getContext(contexts, context);
    if (server === null || own === server) return context;
    throw new Failure("usage", `the context ${context} is of ${own}, not of ${server}: give one of the two`);
  }
  const { current, contexts: all } = contexts;
  const isOf = (name: string) => server === null || all[name]?.server === server;
  if (current !== null && Object.hasOwn(all, current) && isOf(current)) return current;
  const found = server === null ? undefined : Object.keys(all).find(isOf);
  if (found === undefined) throw notSignedIn(server, tokenServer);
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
  const name = chooseContext(contexts, flags, server, token === null ? null : tokenServer);
  const context = getContext(contexts, name);
  return { server: context.server, token: context.token, context: name };
}

/** Runs calls on the server of a connection; what fails is explained. */
export async function callServer<T>(
  { server, token, context }: Connection,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  try {
    return await work(clientOf(server, token));
  } catch (error) {
    throw explainRemote(error, { server, context, isSignedIn: true });
  }
}

/** Resolves to null where the credential may not do what `work` asks for. */
export async function whereAllowed<T>(work: Promise<T>): Promise<T | null> {
  return await work.catch((error: unknown) => {
    if (error instanceof ReeveError && error.status === 403) return null;
    throw error;
  });
}

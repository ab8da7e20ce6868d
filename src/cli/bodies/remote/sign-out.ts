// Signs the command line out: revokes its token and forgets the context.
import { Failure } from "../../../platform/outcomes/failure.ts";
import type { RemoteFlags } from "./connection.ts";
import type { RemoteSettings } from "../../../serve/config/remote-settings.ts";
import { chooseContext } from "./connection.ts";
import { getContext, readContexts, writeContexts } from "./contexts.ts";
import { revoke } from "./revoke.ts";

export interface SignedOut {
  readonly context: string;
  readonly server: string;
  /** False: the server could not be reached, and its token stays valid. */
  readonly isRevoked: boolean;
}

export async function signOut(
  { server, token, contextsFile: file }: RemoteSettings,
  flags: RemoteFlags,
  isForgotten: boolean,
): Promise<SignedOut> {
  if (token !== null && flags.context === undefined) {
    const advice = "unset it to sign out of a context, or name one with --context";
    throw new Failure("usage", `REEVE_TOKEN is set, which signing out does not revoke: ${advice}`);
  }
  const stored = await readContexts(file);
  const name = chooseContext(stored, flags, server);
  const context = getContext(stored, name);
  let isRevoked = true;
  try {
    await revoke(context);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (!isForgotten) {
      throw new Failure(error.exit, `${error.message}; --forget forgets the token without revoking it`, error.code);
    }
    isRevoked = false;
  }
  const { current, contexts } = await readContexts(file);
  const kept = Object.fromEntries(Object.entries(contexts).filter(([other]) => other !== name));
  await writeContexts(file, { current: current === name ? null : current, contexts: kept });
  return { context: name, server: context.server, isRevoked };
}

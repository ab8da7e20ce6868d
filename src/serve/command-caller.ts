// The caller of a command: Reeve itself, or the user that the command names. There is no credential: anyone who can open the
// store may do anything with it.
import type { Caller, Origin } from "../platform/kernel/caller.ts";
import { ApiError } from "../platform/kernel/errors.ts";
import { newId } from "../platform/kernel/ids.ts";
import type { Tx } from "../platform/kernel/tx.ts";
import { findCallerByName } from "../identity/accounts/acting.ts";
import { SYSTEM_CALLER } from "../events/events/system.ts";

/** The user with this username, e-mail address or id; null acts as Reeve itself. */
export async function findCommandCaller(tx: Tx, user: string | null): Promise<Caller> {
  if (user === null) return SYSTEM_CALLER;
  const caller = await findCallerByName(tx, user);
  if (!caller)
    throw new ApiError("user_not_found", `there is no user "${user}"; \`reeve user list\` shows the accounts`);
  return caller;
}

export function commandOrigin(): Origin {
  return { ip: "", userAgent: null, requestId: newId("request"), via: "cli" };
}

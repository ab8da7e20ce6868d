// Reeve itself as an actor: on the first start, on the command line, and in background jobs.
import type { Caller, Origin } from "../../platform/kernel/caller.ts";
import { newId } from "../../platform/kernel/ids.ts";
import { ALL_PERMISSIONS } from "../../platform/kernel/roles.ts";
import type { EventContext } from "./emit.ts";

export const SYSTEM_CALLER: Caller = {
  kind: "system",
  principalId: "system",
  account: null,
  credentialId: null,
  keyName: null,
  teamId: null,
  ceiling: ALL_PERMISSIONS,
  limits: null,
  allowedCidrs: null,
  activeAt: 0,
  expiresAt: null,
  provedAt: null,
};

function actVia(via: Origin["via"], now: number): EventContext {
  return { caller: SYSTEM_CALLER, now, origin: { ip: "", userAgent: null, requestId: newId("request"), via } };
}

export function systemAct(now: number): EventContext {
  return actVia("system", now);
}

export function actOnCommandLine(now: number): EventContext {
  return actVia("cli", now);
}

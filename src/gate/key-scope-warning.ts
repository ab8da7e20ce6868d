// A gate's key may only read bundles and report traffic. An access token works too, and may do all that its person may.
import { credentialKind } from "../platform/kernel/credential.ts";
import type { GateLog } from "./gate-log.ts";

export function warnOfAccessToken(key: string, setting: string, log: GateLog): void {
  if (credentialKind(key) !== "token") return;
  log.warn(
    { setting },
    "the gate's key is the access token of a person, who may do more than a gate has to: make an API key of the team with the one permission gate:connect",
  );
}

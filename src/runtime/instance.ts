// What verbs may know of the settings.
import type { Settings } from "../config.ts";
import type { Instance } from "../kernel/contract.ts";

export function instanceOf({ smtpUrl, firewallCostLimit }: Settings): Instance {
  return { hasMail: smtpUrl !== null, firewallCostLimit };
}

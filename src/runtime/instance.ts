// What verbs may know of the settings.
import type { Settings } from "../config.ts";
import type { Instance } from "../kernel/contract.ts";

export function instanceOf({ smtpUrl, firewallCostLimit, egressAllow, egressPorts }: Settings): Instance {
  return { hasMail: smtpUrl !== null, firewallCostLimit, egress: { allow: egressAllow, ports: egressPorts } };
}

// The settings that handlers can read.
import type { Settings } from "./config.ts";
import type { Instance } from "../kernel/contract.ts";

export function instanceSettings(settings: Settings): Instance {
  const { smtpUrl, mailUserLimit, mailTeamLimit, firewallCostLimit, maxTokens, egressAllow, egressPorts } = settings;
  return {
    hasMail: smtpUrl !== null,
    mailLimits: { user: mailUserLimit, team: mailTeamLimit },
    firewallCostLimit,
    maxTokens,
    egress: { allow: egressAllow, ports: egressPorts },
  };
}

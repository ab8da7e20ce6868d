// The settings that handlers can read.
import type { Settings } from "./config.ts";
import type { Instance } from "../kernel/contract.ts";
import { ownUrl } from "./own-url.ts";

export function instanceSettings(settings: Settings): Instance {
  const { smtpUrl, mailUserLimit, mailTeamLimit, passwords, firewallCostLimit } = settings;
  const { maxTokens, egressAllow, egressPorts } = settings;
  return {
    ownUrl: ownUrl(settings),
    hasMail: smtpUrl !== null,
    mailLimits: { user: mailUserLimit, team: mailTeamLimit },
    hasPasswords: passwords,
    firewallCostLimit,
    maxTokens,
    egress: { allow: egressAllow, ports: egressPorts },
  };
}

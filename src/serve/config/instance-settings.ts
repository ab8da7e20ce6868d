// The settings that handlers can read.
import type { Settings } from "./config.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import type { OidcProvider } from "../../identity/providers/oidc-file.ts";
import { ownUrl } from "./own-url.ts";

export function instanceSettings(settings: Settings, providers: readonly OidcProvider[] = []): Instance {
  const { smtpUrl, mailUserLimit, mailTeamLimit, passwords, firewallCostLimit } = settings;
  const { maxTokens, storageLimits, egressAllow, egressPorts } = settings;
  return {
    ownUrl: ownUrl(settings),
    hasMail: smtpUrl !== null,
    mailLimits: { user: mailUserLimit, team: mailTeamLimit },
    hasPasswords: passwords,
    providers: providers.map(({ id, name }) => ({ id, name })),
    firewallCostLimit,
    maxTokens,
    storageLimits,
    egress: { allow: egressAllow, ports: egressPorts },
  };
}

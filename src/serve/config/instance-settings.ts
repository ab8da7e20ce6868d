// The settings that handlers can read.
import type { Settings } from "./config.ts";
import type { Instance } from "../../platform/kernel/contract.ts";
import type { Providers } from "../../identity/providers/providers.ts";
import { ownUrl } from "./own-url.ts";

export function instanceSettings(settings: Settings, providers: Pick<Providers, "list"> = { list: [] }): Instance {
  const { smtpUrl, mailUserLimit, mailTeamLimit, passwords, firewallCostLimit } = settings;
  const { maxTokens, storageLimits, egressAllow, egressPorts } = settings;
  return {
    ownUrl: ownUrl(settings),
    hasMail: smtpUrl !== null,
    mailLimits: { user: mailUserLimit, team: mailTeamLimit },
    hasPasswords: passwords,
    // They may change while the server runs.
    get providers() {
      return providers.list.map(({ id, name }) => ({ id, name }));
    },
    firewallCostLimit,
    maxTokens,
    storageLimits,
    egress: { allow: egressAllow, ports: egressPorts },
  };
}

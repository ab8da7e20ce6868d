// The address of the page of a decision.
import { ADDRESSES } from "../../../addresses.ts";
import { firewallHref } from "../firewall-nav.tsx";

export function decisionHref(teamId: string, projectId: string, id: string): string {
  return firewallHref(ADDRESSES.firewallDecision.replace(":decision", encodeURIComponent(id)), teamId, projectId);
}

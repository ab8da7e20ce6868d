// The address of the page of a decision.
import { ADDRESSES } from "../../../addresses.ts";
import { projectHref } from "../../../parts/project.tsx";

export function decisionHref(teamId: string, projectId: string, id: string): string {
  return projectHref(ADDRESSES.firewallDecision.replace(":decision", encodeURIComponent(id)), teamId, projectId);
}

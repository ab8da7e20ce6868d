// Why somebody may not do something: what a button says that is off.
import type { Permission } from "../../src/platform/kernel/roles.ts";
import { useMay } from "../api/team.ts";

const MAY_NOT = {
  "api-key:manage": "Your role may not manage API keys",
  "environment:write": "Your role may not change environments",
  "event:write": "Your role may not make checkpoints",
  "firewall:write": "Your role may not change the firewall",
  "invite:manage": "Only an Owner may do this",
  "member:manage": "Only an Owner may do this",
  "secret:reveal": "Your role may not reveal values",
  "secret:write": "Your role may not change secrets",
  "team:update": "Only an Owner may change the team",
  "webhook:write": "Your role may not change webhooks",
} as const satisfies Partial<Record<Permission, string>>;

/** Null for those who may do what needs the permission, and while that is not known. */
export function useWhyNot(permission: keyof typeof MAY_NOT): string | null {
  return useMay(permission) === false ? MAY_NOT[permission] : null;
}

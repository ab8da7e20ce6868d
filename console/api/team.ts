// The team of the page, and what the user may do in it.
import { useParams } from "wouter";
import { ROLE_PERMISSIONS } from "../../src/platform/kernel/roles.ts";
import type { Permission } from "../../src/platform/kernel/roles.ts";
import { useApi } from "./queries.ts";

/** Id or slug of the team in the page's address. */
export function useTeamId(): string {
  return useParams<{ readonly team: string }>().team ?? "";
}

/** Disabled outside the pages of a team. */
export function useTeam() {
  const teamId = useTeamId();
  return useApi("GET /v2/teams/:teamId", { params: { teamId } }, { enabled: teamId !== "" });
}

export function useUser() {
  return useApi("GET /v2/user", {});
}

/** Whether the user may do what needs the permission; null while it is not known. */
export function useMay(permission: Permission): boolean | null {
  const team = useTeam().data?.value;
  const user = useUser().data?.value.user;
  if (team === undefined || user === undefined) return null;
  // Administrators of the instance may do in every team what its OWNERs may.
  if (user.isAdmin) return true;
  const role = team.membership?.role;
  return role !== undefined && ROLE_PERMISSIONS[role].includes(permission);
}

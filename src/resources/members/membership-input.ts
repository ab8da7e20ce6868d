// On what terms somebody comes into a team.
import type { JoinedFrom, ProjectGrant, TeamPermission } from "../../kernel/membership.ts";
import type { TeamRole } from "../../kernel/roles.ts";

export interface Terms {
  readonly role: TeamRole;
  readonly joinedFrom: JoinedFrom;
  readonly projects: readonly ProjectGrant[];
  readonly teamPermissions: readonly TeamPermission[];
  /** Id of the account or key that invited them. */
  readonly invitedBy: string | null;
}

import type { Migration } from "./migration.ts";

/** The invites that a person answers for, in any team: they end when the person may no longer invite. */
export const invitesOfAPerson: Migration = {
  version: 35,
  name: "invites-of-a-person",
  statements: () => [`create index invites_issued on invites (issued_to, team_id)`],
};

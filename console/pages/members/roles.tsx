// The roles of a team, beside its members: how many have each, what it is for, and a comparison of all.
import { useState } from "react";
import type { ReactNode } from "react";
import { MOST_COUNTED } from "../../../src/platform/kernel/counts.ts";
import { PERMISSION_WORDS } from "../../../src/platform/kernel/limit-words.ts";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES, roleName } from "../../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { formatUpTo } from "../../parts/numbers.ts";

/** The roles that most teams use. The comparison has the others, too. */
const SENTENCES: readonly (readonly [TeamRole, string])[] = [
  ["OWNER", "Everything, with members and deletion."],
  ["MEMBER", "A Developer who also has the firewall, gates and API keys."],
  ["DEVELOPER", "Changes secrets, environments and webhooks. Reveals values."],
  ["SECURITY", "Changes the firewall, connects gates. Sees no values."],
  ["VIEWER", "Sees everything but values. Changes nothing."],
];
/** From the table that the server itself goes by. */
function Comparison({ onClose }: { readonly onClose: () => void }): ReactNode {
  return (
    <Dialog title="What each role may do" onClose={onClose}>
      <p>An administrator of the instance may do in every team what an Owner may.</p>
      <ul className="plain-list">
        {TEAM_ROLES.map((role) => (
          <li key={role}>
            <strong>{roleName(role)}</strong>:{" "}
            {ROLE_PERMISSIONS[role].length === PERMISSIONS.length
              ? "everything"
              : ROLE_PERMISSIONS[role].map((permission) => PERMISSION_WORDS[permission]).join(", ")}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

export function Roles(): ReactNode {
  const params = { teamId: useTeamId() };
  const [isComparing, setComparing] = useState(false);
  const query = { limit: 1, withRoleCounts: true };
  const counts = useApi("GET /v2/teams/:teamId/members", { params, query }).data?.value.roleCounts;
  return (
    <aside className="panel" aria-labelledby="roles">
      <header>
        <h2 id="roles">Roles</h2>
      </header>
      <ul className="roles">
        {SENTENCES.map(([role, sentence]) => (
          <li key={role}>
            <strong>{roleName(role)}</strong>
            <span className="small">{counts && formatUpTo(counts[role] ?? 0, MOST_COUNTED)}</span>
            <p className="small">{sentence}</p>
          </li>
        ))}
      </ul>
      <footer>
        <Button kind="link" onClick={() => setComparing(true)}>
          Compare all {TEAM_ROLES.length} roles
        </Button>
      </footer>
      {isComparing && <Comparison onClose={() => setComparing(false)} />}
    </aside>
  );
}

// The roles of a team, beside its members: how many have each, what it is for, and a comparison of all.
import { useState } from "react";
import type { ReactNode } from "react";
import { PERMISSION_WORDS } from "../../../src/platform/kernel/limit-words.ts";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES, roleName } from "../../../src/platform/kernel/roles.ts";
import type { TeamRole } from "../../../src/platform/kernel/roles.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";

/** The roles that most teams use. The comparison has the others, too. */
const SENTENCES: readonly (readonly [TeamRole, string])[] = [
  ["OWNER", "Everything, with members and deletion."],
  ["MEMBER", "A Developer who also has the firewall, gates and API keys."],
  ["DEVELOPER", "Changes secrets, environments and webhooks. Reveals values."],
  ["SECURITY", "Changes the firewall, connects gates. Sees no values."],
  ["VIEWER", "Sees everything but values. Changes nothing."],
];
/** Of a larger team nobody is counted here. */
const COUNTED = 100;

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
  const page = useApi("GET /v2/teams/:teamId/members", { params, query: { limit: COUNTED } }).data?.value;
  const members = page && !page.pagination.hasNext ? page.members.filter(({ confirmed }) => confirmed) : null;
  return (
    <aside className="panel" aria-labelledby="roles">
      <header>
        <h2 id="roles">Roles</h2>
      </header>
      <ul className="roles">
        {SENTENCES.map(([role, sentence]) => (
          <li key={role}>
            <strong>{roleName(role)}</strong>
            <span className="small">{members?.filter((member) => member.role === role).length}</span>
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

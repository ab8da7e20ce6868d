// What each role may do in its team, from the table that the server itself goes by.
import type { ReactNode } from "react";
import { PERMISSION_WORDS } from "../../../src/platform/kernel/limit-words.ts";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES, roleName } from "../../../src/platform/kernel/roles.ts";

export function RoleTable(): ReactNode {
  return (
    <details className="panel">
      <summary>What each role may do</summary>
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
    </details>
  );
}

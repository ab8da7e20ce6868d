// What each role may do in its team, from the table that the server itself goes by.
import type { ReactNode } from "react";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES } from "../../../src/kernel/roles.ts";
import { TEXTS } from "../../texts.ts";

const T = TEXTS.roles;

export function RoleTable(): ReactNode {
  return (
    <details className="panel">
      <summary>{T.title}</summary>
      <p>{T.what}</p>
      <ul className="plain-list">
        {TEAM_ROLES.map((role) => (
          <li key={role}>
            <strong>{role}</strong>:{" "}
            {ROLE_PERMISSIONS[role].length === PERMISSIONS.length
              ? T.everything
              : ROLE_PERMISSIONS[role].map((permission) => T.permissions[permission]).join(", ")}
          </li>
        ))}
      </ul>
    </details>
  );
}

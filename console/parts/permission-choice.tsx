// What a new credential may do: everything that its role or user may, connect a gate, or the permissions that are chosen.
import { Fragment, useId, useState } from "react";
import type { ReactNode } from "react";
import { PERMISSION_WORDS } from "../../src/platform/kernel/limit-words.ts";
import { PERMISSIONS, ROLE_PERMISSIONS, TEAM_ROLES } from "../../src/platform/kernel/roles.ts";
import type { Permission, TeamRole } from "../../src/platform/kernel/roles.ts";
import type { Fields } from "./form.tsx";

const BOUND_NAMES = {
  role: "Everything its role may",
  gate: "Connect a gate: read firewall bundles and report traffic",
  chosen: "Chosen permissions",
};
const BOUNDS = ["role", "gate", "chosen"] as const;
const GATE: readonly Permission[] = ["gate:connect"];
/** The role that a key for a gate has, unless the chosen one will do. */
const ROLE_OF_GATES: TeamRole = "SECURITY";

function isRoleOfGates(role: TeamRole): boolean {
  return GATE.every((permission) => ROLE_PERMISSIONS[role].includes(permission));
}

/** The permissions that the form asks for; nothing where the key may do all that its role may. */
export function permissionsOf(field: Fields): { readonly permissions?: Permission[] } {
  const bound = field("bound");
  if (bound === "gate") return { permissions: [...GATE] };
  if (bound === "chosen") return { permissions: PERMISSIONS.filter((permission) => field(permission) === "on") };
  return {};
}

interface Props {
  /** What may be chosen from: the permissions of this role. */
  readonly role: TeamRole;
  /** Those of the role that may not be chosen. */
  readonly isLeftOut?: (permission: Permission) => boolean;
  /** Those that are chosen when the form opens; by default there is no choice. */
  readonly first?: readonly Permission[] | undefined;
  /** Chooses another role; absent: there is no choice of roles, and none of a gate. */
  readonly onRole?: (role: TeamRole) => void;
  /** What the first choice is called. */
  readonly everything: string;
  readonly problem: string | null;
}

export function PermissionChoice({
  role,
  isLeftOut = () => false,
  first,
  onRole,
  everything,
  problem,
}: Props): ReactNode {
  const id = useId();
  const [bound, setBound] = useState<(typeof BOUNDS)[number]>(first ? "chosen" : "role");
  const choose = (wanted: (typeof BOUNDS)[number]): void => {
    setBound(wanted);
    // A role that is chosen after that stays: the refusal says which permission it lacks.
    if (wanted === "gate" && !isRoleOfGates(role)) onRole?.(ROLE_OF_GATES);
  };
  return (
    <fieldset className="bounds" aria-describedby={problem ? `${id}-problem` : undefined}>
      <legend>May do</legend>
      {BOUNDS.filter((one) => onRole || one !== "gate").map((one) => (
        <Fragment key={one}>
          <label className="check">
            <input
              type="radio"
              name="bound"
              value={one}
              checked={one === bound}
              aria-describedby={one === "gate" ? `${id}-gate` : undefined}
              onChange={() => choose(one)}
            />
            {one === "role" ? everything : BOUND_NAMES[one]}
          </label>
          {one === "gate" && (
            <p id={`${id}-gate`} className="hint">
              The roles that connect a gate are {TEAM_ROLES.filter(isRoleOfGates).join(", ")}.
            </p>
          )}
        </Fragment>
      ))}
      {bound === "chosen" && (
        <div className="choices">
          {ROLE_PERMISSIONS[role]
            .filter((permission) => !isLeftOut(permission))
            .map((permission) => (
              <label key={permission} className="check">
                <input type="checkbox" name={permission} defaultChecked={first?.includes(permission) ?? false} />
                {PERMISSION_WORDS[permission]}
              </label>
            ))}
        </div>
      )}
      {problem && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
    </fieldset>
  );
}

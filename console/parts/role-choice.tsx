// A role that is stored, and its change: chosen, then carried out with a button, because keys change what a list shows at once.
import { useState } from "react";
import type { ComponentPropsWithoutRef, ReactNode } from "react";
import type { TeamRole } from "../../src/platform/kernel/roles.ts";
import { Button } from "./button.tsx";

interface Props<R extends TeamRole> extends Omit<ComponentPropsWithoutRef<"select">, "onChange" | "role"> {
  /** The stored one. */
  readonly role: R;
  readonly roles: readonly R[];
  readonly busy: boolean;
  readonly onChoose: (role: R) => void;
}

export function RoleChoice<R extends TeamRole>({ role, roles, busy, onChoose, ...rest }: Props<R>): ReactNode {
  const [chosen, choose] = useState<R | null>(null);
  const shown = chosen ?? role;
  return (
    <span className="role-choice">
      <select {...rest} value={shown} onChange={({ target }) => choose(target.value as R)}>
        {roles.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
      {shown !== role && (
        <>
          <Button kind="plain" busy={busy} onClick={() => onChoose(shown)}>
            Change
          </Button>
          <Button kind="plain" onClick={() => choose(null)}>
            Cancel
          </Button>
        </>
      )}
    </span>
  );
}

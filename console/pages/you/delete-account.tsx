// The end of one's own account, after its username was typed and a fresh proof was given.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { signInAddress } from "../../api/session-end.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";

export const WHAT =
  "Your tokens, API keys and memberships go with it at once, and there is no way back. What you did stays in the events.";

export function DeleteAccount({
  user: { username },
}: {
  readonly user: Pick<Output<"GET /v2/user">["user"], "username">;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const remove = useChange("DELETE /v1/user", () => location.assign(signInAddress()));
  return (
    <section className="panel">
      <header>
        <div className="grow">
          <h2>Delete account</h2>
          <p className="small">{WHAT}</p>
        </div>
        <Button kind="danger" onClick={() => setOpen(true)}>
          Delete account
        </Button>
      </header>
      {isOpen && (
        <Confirm
          title="Delete your account"
          what={WHAT}
          label="Delete account"
          word={username}
          change={remove}
          onConfirm={() => remove.mutate({})}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

// The end of one's own account, after its username was typed and a fresh proof was given.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { signInAddress } from "../../api/session-end.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { TEXTS } from "../../texts.ts";

const T = TEXTS.deleteAccount;

export function DeleteAccount({
  user: { username },
}: {
  readonly user: Pick<Output<"GET /v2/user">["user"], "username">;
}): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const remove = useChange("DELETE /v1/user", () => location.assign(signInAddress()));
  return (
    <section className="panel">
      <h2>{T.title}</h2>
      <p>{T.what}</p>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {T.delete}
      </Button>
      {isOpen && (
        <Confirm
          title={T.title}
          what={T.what}
          label={T.delete}
          word={username}
          change={remove}
          onConfirm={() => remove.mutate({})}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

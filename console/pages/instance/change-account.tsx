// Dialogs about one account: change it, suspend or resume it, delete it.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.accounts;
const FIELDS = ["email", "username", "name"] as const;

export type User = Output<"GET /v1/users">["users"][number];

interface Props {
  readonly user: User;
  readonly onClose: () => void;
}

export function ChangeAccount({ user, onClose }: Props): ReactNode {
  const update = useChange("PATCH /v1/users/:uid", onClose);
  const submit = onSubmit((field) => {
    const name = field("name");
    update.mutate({
      params: { uid: user.id },
      body: {
        email: field("email"),
        username: field("username"),
        name: name === "" ? null : name,
        admin: field("admin") !== "",
      },
    });
  });
  const other = otherProblem(update.error, FIELDS);
  return (
    <Dialog title={fill(T.changeTitle, { name: user.username })} onClose={onClose}>
      <form onSubmit={submit}>
        {other && <Refusal error={other} retry={() => update.variables && update.mutate(update.variables)} />}
        {FIELDS.map((name) => (
          <Field key={name} label={T[name]} problem={problemWith(update.error, name)}>
            {(control) => (
              <input
                {...control}
                name={name}
                type={name === "email" ? "email" : "text"}
                defaultValue={user[name] ?? ""}
                required={name !== "name"}
                maxLength={name === "username" ? 48 : 256}
                autoComplete="off"
              />
            )}
          </Field>
        ))}
        <label className="check">
          <input type="checkbox" name="admin" value="1" defaultChecked={user.isAdmin} />
          <span>
            {T.admin}
            <span className="hint"> {T.adminHint}</span>
          </span>
        </label>
        <footer>
          <Button type="submit" busy={update.isPending}>
            {T.save}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

export function SuspendAccount({ user: { id, username, suspendedAt }, onClose }: Props): ReactNode {
  const update = useChange("PATCH /v1/users/:uid", onClose);
  const isSuspended = suspendedAt !== null;
  return (
    <Confirm
      title={fill(isSuspended ? T.resumeTitle : T.suspendTitle, { name: username })}
      what={isSuspended ? T.resumeWhat : T.suspendWhat}
      label={isSuspended ? T.resume : T.suspend}
      change={update}
      onConfirm={() => update.mutate({ params: { uid: id }, body: { suspended: !isSuspended } })}
      onClose={onClose}
    />
  );
}

export function DeleteAccount({ user: { id, username }, onClose }: Props): ReactNode {
  const remove = useChange("DELETE /v1/users/:uid", onClose);
  return (
    <Confirm
      title={fill(T.deleteTitle, { name: username })}
      what={T.deleteWhat}
      label={T.delete}
      word={username}
      change={remove}
      onConfirm={() => remove.mutate({ params: { uid: id } })}
      onClose={onClose}
    />
  );
}

// Dialogs about one account: change it, suspend or resume it, delete it.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useChange, useNewest } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { changedOf, onSubmit, otherProblem, problemWith, NOTHING_CHANGED } from "../../parts/form.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { ADMIN_HINT } from "./create-account.tsx";

const FIELDS = ["email", "username", "name"] as const;

export type User = Output<"GET /v1/users">["users"][number];

interface Props {
  readonly user: User;
  readonly onClose: () => void;
}

type Found = Fetched<Output<"GET /v1/users/:uid">>;
type Typed = Readonly<Record<(typeof FIELDS)[number] | "admin", string>>;
const LABELS = { email: "E-mail address", username: "Username", name: "Name", admin: "May administer the instance" };

function typedOf({ value: { user } }: Found): Typed {
  return { email: user.email, username: user.username, name: user.name ?? "", admin: user.isAdmin ? "yes" : "no" };
}

interface FormProps {
  /** The newest that is known. */
  readonly found: Found;
  readonly onClose: () => void;
}

/** Two administrators who change the same account at once see both versions. */
function ChangeForm({ found, onClose }: FormProps): ReactNode {
  // The form is about what it showed first, so that what others stored meanwhile is not written over unseen.
  const [base] = useState(found);
  const [typed, setTyped] = useState(typedOf(base));
  const update = useChange("PATCH /v1/users/:uid", onClose);
  const { admin, name, ...rest } = changedOf(typed, typedOf(base));
  const changed = { ...rest, ...(name !== undefined && { name }), ...(admin !== undefined && { admin }) };
  const nothing = Object.keys(changed).length === 0 ? NOTHING_CHANGED : null;
  const save = ({ etag }: Found): void =>
    update.mutate({
      params: { uid: base.value.user.id },
      body: {
        ...rest,
        ...(name !== undefined && { name: name === "" ? null : name }),
        ...(admin !== undefined && { admin: admin === "yes" }),
      },
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  const other = otherProblem(update.error, FIELDS);
  const stored = typedOf(found);
  return (
    <form onSubmit={onSubmit(() => save(base))}>
      {other && !isConflict(other) && (
        <Refusal error={other} retry={() => update.variables && update.mutate(update.variables)} />
      )}
      {isConflict(other) && (
        <Conflict
          fields={[...FIELDS, "admin" as const].map((field) => ({
            label: LABELS[field],
            stored: stored[field],
            typed: changed[field] ?? stored[field],
          }))}
          busy={update.isPending}
          onKeep={() => save(found)}
          onTake={onClose}
        />
      )}
      {FIELDS.map((field) => (
        <Field key={field} label={LABELS[field]} problem={problemWith(update.error, field)}>
          {(control) => (
            <input
              {...control}
              type={field === "email" ? "email" : "text"}
              value={typed[field]}
              required={field !== "name"}
              maxLength={field === "username" ? 48 : 256}
              autoComplete="off"
              onChange={({ target }) => setTyped({ ...typed, [field]: target.value })}
            />
          )}
        </Field>
      ))}
      <label className="check">
        <input
          type="checkbox"
          checked={typed.admin === "yes"}
          onChange={({ target }) => setTyped({ ...typed, admin: target.checked ? "yes" : "no" })}
        />
        <span>
          May administer the instance
          <span className="hint"> {ADMIN_HINT}</span>
        </span>
      </label>
      <footer>
        <Button type="submit" disabledBecause={nothing} busy={update.isPending}>
          Save
        </Button>
      </footer>
    </form>
  );
}

export function ChangeAccount({ user: { id, username }, onClose }: Props): ReactNode {
  const found = useNewest("GET /v1/users/:uid", { params: { uid: id } });
  return (
    <Dialog title={`Change ${username}`} onClose={onClose}>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {!found.data && !found.error && <Skeleton rows={3} />}
      {found.data && <ChangeForm found={found.data} onClose={onClose} />}
    </Dialog>
  );
}

export function SuspendAccount({ user: { id, username, suspendedAt }, onClose }: Props): ReactNode {
  const update = useChange("PATCH /v1/users/:uid", onClose);
  const isSuspended = suspendedAt !== null;
  return (
    <Confirm
      title={isSuspended ? `Resume ${username}?` : `Suspend ${username}?`}
      what={
        isSuspended
          ? "Their tokens and keys work again."
          : "Their sessions, tokens and keys stop working at once, and work again when the account is resumed."
      }
      label={isSuspended ? "Resume" : "Suspend"}
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
      title={`Delete ${username}?`}
      what="Their tokens, API keys and memberships go with it, for good. Their events stay. An account that is the only Owner of a team is not deleted."
      label="Delete"
      word={username}
      change={remove}
      onConfirm={() => remove.mutate({ params: { uid: id } })}
      onClose={onClose}
    />
  );
}

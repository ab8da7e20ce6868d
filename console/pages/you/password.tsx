// The user's password: set, change, remove.
import { LockKeyhole, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi, useChange } from "../../api/queries.ts";
import { useUser } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../parts/toast.tsx";

function NewPassword({ title, onClose }: { readonly title: string; readonly onClose: () => void }): ReactNode {
  const username = useUser().data?.value.user.username ?? "";
  const store = useChange("PUT /v1/user/password", () => {
    onClose();
    toast("The password is stored.");
  });
  const submit = onSubmit((field) => store.mutate({ body: { password: field("password", "exact") } }));
  return (
    <FormDialog title={title} change={store} fields={["password"]} onSubmit={submit} onClose={onClose}>
      {/* Password managers store it beside this name. */}
      <input type="hidden" name="username" value={username} autoComplete="username" />
      <Field
        label="New password"
        hint="At least 8 characters that are hard to guess, such as four words. It signs you out everywhere else."
        problem={problemWith(store.error, "password")}
      >
        {(control) => (
          <input {...control} name="password" type="password" required maxLength={256} autoComplete="new-password" />
        )}
      </Field>
    </FormDialog>
  );
}

function RemovePassword({ onClose }: { readonly onClose: () => void }): ReactNode {
  const remove = useChange("DELETE /v1/user/password", onClose);
  return (
    <Confirm
      title="Remove the password?"
      what="You sign in with something else from then on."
      label="Remove"
      change={remove}
      onConfirm={() => remove.mutate({})}
      onClose={onClose}
    />
  );
}

/** In the list of ways to sign in. */
export function Password(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/password", {});
  const [open, setOpen] = useState<"store" | "remove" | null>(null);
  const close = (): void => setOpen(null);
  const state = data?.value;
  const title = state?.isSet ? "Change password" : "Set password";
  return (
    <li>
      <LockKeyhole className="i" />
      <span className="grow">
        <strong>Password</strong>
        {state && (
          <span className="small">
            {state.changedAt === null ? (
              "You have none."
            ) : (
              <>
                Set <Time at={state.changedAt} />.
              </>
            )}{" "}
            {!state.isEnabled && "Passwords are switched off here: none signs anybody in."}
          </span>
        )}
      </span>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!state && !error && <Skeleton rows={1} />}
      {state?.isEnabled && (
        <Button kind="plain" onClick={() => setOpen("store")}>
          {title}
        </Button>
      )}
      {state?.isSet && (
        <Menu
          label="Actions for the password"
          entries={[{ label: "Remove", icon: Trash2, isDanger: true, onSelect: () => setOpen("remove") }]}
        />
      )}
      {open === "store" && <NewPassword title={title} onClose={close} />}
      {open === "remove" && <RemovePassword onClose={close} />}
    </li>
  );
}

// The user's password: set, change, remove.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi, useChange } from "../../api/queries.ts";
import { useUser } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS } from "../../texts.ts";

const T = TEXTS.signInMethods;

function NewPassword({ isSet }: { readonly isSet: boolean }): ReactNode {
  const username = useUser().data?.value.user.username ?? "";
  // After each change the field is empty again.
  const [edition, setEdition] = useState(0);
  const store = useChange("PUT /v1/user/password", () => setEdition(edition + 1));
  const submit = onSubmit((field) => store.mutate({ body: { password: field("password", "exact") } }));
  const other = otherProblem(store.error, ["password"]);
  const retry = (): void => {
    if (store.variables) store.mutate(store.variables);
  };
  return (
    <form key={edition} onSubmit={submit}>
      {other && <Refusal error={other} retry={retry} />}
      {/* Password managers store it beside this name. */}
      <input type="hidden" name="username" value={username} autoComplete="username" />
      <Field label={T.newPassword} hint={T.newPasswordHint} problem={problemWith(store.error, "password")}>
        {(control) => (
          <input {...control} name="password" type="password" required maxLength={256} autoComplete="new-password" />
        )}
      </Field>
      <div className="tools">
        <Button type="submit" busy={store.isPending}>
          {isSet ? T.changePassword : T.setPassword}
        </Button>
        <output>{store.isSuccess ? T.stored : ""}</output>
      </div>
    </form>
  );
}

function RemovePassword(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  const remove = useChange("DELETE /v1/user/password", () => setOpen(false));
  return (
    <footer>
      <Button kind="danger" onClick={() => setOpen(true)}>
        {T.removePassword}
      </Button>
      {isOpen && (
        <Confirm
          title={T.removePasswordTitle}
          what={T.removePasswordWhat}
          label={T.remove}
          change={remove}
          onConfirm={() => remove.mutate({})}
          onClose={() => setOpen(false)}
        />
      )}
    </footer>
  );
}

export function Password(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/password", {});
  const state = data?.value;
  return (
    <section className="panel">
      <h2>{T.password}</h2>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!state && !error && <Skeleton rows={2} />}
      {state && (
        <>
          <p>
            {state.changedAt === null ? (
              T.passwordNone
            ) : (
              <>
                {T.passwordSet} <Time at={state.changedAt} />.
              </>
            )}{" "}
            {!state.isEnabled && T.passwordsOff}
          </p>
          {state.isEnabled && <NewPassword isSet={state.isSet} />}
          {state.isSet && <RemovePassword />}
        </>
      )}
    </section>
  );
}

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
      <Field
        label="New password"
        hint="At least 8 characters that are hard to guess, such as four words. It signs you out everywhere else."
        problem={problemWith(store.error, "password")}
      >
        {(control) => (
          <input {...control} name="password" type="password" required maxLength={256} autoComplete="new-password" />
        )}
      </Field>
      <div className="tools">
        <Button type="submit" busy={store.isPending}>
          {isSet ? "Change the password" : "Set a password"}
        </Button>
        <output>{store.isSuccess ? "The password is stored." : ""}</output>
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
        Remove the password
      </Button>
      {isOpen && (
        <Confirm
          title="Remove the password?"
          what="You sign in with something else from then on."
          label="Remove"
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
      <h2>Password</h2>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!state && !error && <Skeleton rows={2} />}
      {state && (
        <>
          <p>
            {state.changedAt === null ? (
              "You have none."
            ) : (
              <>
                You have one, since <Time at={state.changedAt} />.
              </>
            )}{" "}
            {!state.isEnabled && "Passwords are switched off here: none signs anybody in."}
          </p>
          {state.isEnabled && <NewPassword isSet={state.isSet} />}
          {state.isSet && <RemovePassword />}
        </>
      )}
    </section>
  );
}

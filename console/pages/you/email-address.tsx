// The e-mail address of one's own account, and its change, which the old and the new address confirm.
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";

const T = TEXTS.profile;
type Address = Output<"GET /v1/user/email">;

function Pending({ email, waitsFor, expiresAt }: NonNullable<Address["pending"]>): ReactNode {
  const who = waitsFor.length > 1 ? T.waits.both : waitsFor[0] === "old" ? T.waits.old : T.waits.new;
  return (
    <p className="notice">
      {fill(T.pending, { email, who })} <Time at={expiresAt} />.
    </p>
  );
}

function ChangeEmail({ email, isConfirmed }: Address): ReactNode {
  const change = useChange("POST /v1/user/email");
  const submit = onSubmit((field) => change.mutate({ body: { email: field("email") } }));
  const other = otherProblem(change.error, ["email"]);
  const retry = (): void => {
    if (change.variables) change.mutate(change.variables);
  };
  return (
    <form onSubmit={submit}>
      {other && <Refusal error={other} retry={retry} />}
      <Field label={T.newEmail} hint={T.newEmailHint} problem={problemWith(change.error, "email")}>
        {(control) => (
          <input
            {...control}
            name="email"
            type="email"
            required
            maxLength={256}
            autoComplete="email"
            defaultValue={isConfirmed ? "" : email}
          />
        )}
      </Field>
      <footer>
        <Button type="submit" kind="plain" busy={change.isPending}>
          {isConfirmed ? T.changeEmail : T.confirmEmail}
        </Button>
      </footer>
    </form>
  );
}

export function EmailAddress(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/email", {});
  return (
    <section className="panel">
      <h2>{T.email}</h2>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <>
          <p>
            <strong>{data.value.email}</strong>{" "}
            <span className={data.value.isConfirmed ? "badge good" : "badge warn"}>
              {data.value.isConfirmed ? T.confirmed : T.unconfirmed}
            </span>
          </p>
          {data.value.pending && <Pending {...data.value.pending} />}
          {/* After a change the field is empty again. */}
          <ChangeEmail key={data.value.pending?.email ?? data.value.email} {...data.value} />
        </>
      )}
    </section>
  );
}

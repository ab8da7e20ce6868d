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

type Address = Output<"GET /v1/user/email">;

function Pending({ email, waitsFor, expiresAt }: NonNullable<Address["pending"]>): ReactNode {
  const who =
    waitsFor.length > 1
      ? "the old and the new address have"
      : waitsFor[0] === "old"
        ? "the old address has"
        : "the new address has";
  return (
    <p className="notice">
      It changes to {email} when {who} confirmed. The links are in the mail there, and work until{" "}
      <Time at={expiresAt} />.
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
      <Field
        label="New address"
        hint="A link goes to the old and to the new address. It changes when both have confirmed."
        problem={problemWith(change.error, "email")}
      >
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
          {isConfirmed ? "Change the address" : "Confirm an address"}
        </Button>
      </footer>
    </form>
  );
}

export function EmailAddress(): ReactNode {
  const { data, error, refetch } = useApi("GET /v1/user/email", {});
  return (
    <section className="panel">
      <h2>E-mail address</h2>
      {error && <Problem error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={2} />}
      {data && (
        <>
          <p>
            <strong>{data.value.email}</strong>{" "}
            {!data.value.isConfirmed && <span className="badge warn">Not confirmed</span>}
          </p>
          {data.value.pending && <Pending {...data.value.pending} />}
          {/* After a change the field is empty again. */}
          <ChangeEmail key={data.value.pending?.email ?? data.value.email} {...data.value} />
        </>
      )}
    </section>
  );
}

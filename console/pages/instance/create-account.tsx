// A new account, and how its owner gets in.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { Copyable } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";

const LABELS = { email: "E-mail address", username: "Username", name: "Name" };
export const ADMIN_HINT = "Administrators may do everything, in every team.";

const FIELDS = ["email", "username", "name"] as const;
const MOST = { email: 256, username: 48, name: 256 };
const HINTS = { email: undefined, username: "Letters, digits, _, . and -.", name: "Optional." };

export function CreateAccount({ onClose }: { readonly onClose: () => void }): ReactNode {
  const create = useChange("POST /v1/users");
  const submit = onSubmit((field) => {
    const name = field("name");
    create.mutate({
      body: {
        email: field("email"),
        username: field("username"),
        ...(name === "" ? {} : { name }),
        admin: field("admin") !== "",
      },
    });
  });
  if (create.data) {
    return (
      <Dialog title="The account is created" onClose={onClose}>
        <p>
          Nobody can sign in to it yet. Make a link on the server and hand it over; with mail, its owner gets one from
          the page to sign in.
        </p>
        <Copyable label="Command" text={`reeve user sign-in-link ${create.data.user.username}`} />
      </Dialog>
    );
  }
  return (
    <FormDialog title="New account" change={create} fields={FIELDS} onSubmit={submit} onClose={onClose}>
      {FIELDS.map((name) => (
        <Field
          key={name}
          label={LABELS[name]}
          {...(HINTS[name] === undefined ? {} : { hint: HINTS[name] })}
          problem={problemWith(create.error, name)}
        >
          {(control) => (
            <input
              {...control}
              name={name}
              type={name === "email" ? "email" : "text"}
              required={name !== "name"}
              maxLength={MOST[name]}
              autoComplete="off"
            />
          )}
        </Field>
      ))}
      <label className="check">
        <input type="checkbox" name="admin" value="1" />
        <span>
          May administer the instance
          <span className="hint"> {ADMIN_HINT}</span>
        </span>
      </label>
    </FormDialog>
  );
}

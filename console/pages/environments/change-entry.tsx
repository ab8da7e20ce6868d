// Sets one entry, in one environment or several: how it is stored, its value, and its comment.
import { useState } from "react";
import type { ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { InWhich, StoreAs, stillThere } from "./entry-fields.tsx";
import type { StoreKind } from "./entry-fields.tsx";
import { StoredAs } from "./entry-value.tsx";
import { entryOf } from "./project-environments.ts";
import type { Entry, Environment } from "./project-environments.ts";
import { Review, useStore } from "./review.tsx";
import type { EntryInput } from "./review.tsx";

const WRITE_FIRST = {
  secretValue: "Write the value first",
  value: "Write the value first",
  secret: "Write the name of a secret first",
};
const STORE_HINTS = {
  secretValue: "A new version of the secret that was made for this entry, else a new secret.",
  value: "Everybody who may see the environment sees it.",
  secret: "A secret of the team that can be revealed. Its next value is the next one here.",
};
const KINDS = ["secretValue", "value", "secret"] as const;

interface Shown {
  readonly kind: StoreKind;
  /** What is written for each kind: none is lost by choosing another. */
  readonly texts: Readonly<Record<StoreKind, string>>;
  readonly isSensitive: boolean;
  readonly comment: string;
}

/** The form as it opens: what is stored. */
function shownOf(entry: Entry | undefined): Shown {
  const { secret, value, isSensitive = false, comment } = entry ?? {};
  return {
    kind: secret ? "secret" : value === undefined ? "secretValue" : "value",
    texts: { secretValue: "", value: value ?? "", secret: secret?.name ?? secret?.uid ?? "" },
    isSensitive,
    comment: comment ?? "",
  };
}

/** What was not changed here stays as each environment has it. */
function inputOf({ kind, texts, isSensitive, comment }: Shown, first: Shown): EntryInput {
  return {
    [kind]: texts[kind],
    ...(kind !== "value" && isSensitive !== first.isSensitive && { isSensitive }),
    ...(comment !== first.comment && { comment: comment || null }),
  };
}

interface Props {
  readonly environments: readonly Environment[];
  /** Whose entry it is. */
  readonly environment: Environment;
  readonly of: string;
  readonly onClose: () => void;
}

export function ChangeEntry({ environments, environment, of, onClose }: Props): ReactNode {
  const entry = entryOf(environment, of);
  const [first] = useState(() => shownOf(entry));
  const [form, setForm] = useState(first);
  const [chosen, setChosen] = useState<readonly string[]>([environment.name]);
  const change = useStore(environments, onClose);
  const { kind, texts, isSensitive, comment } = form;
  const put = (some: Partial<Shown>): void => setForm({ ...form, ...some });
  const names = stillThere(environments, chosen);
  const input = inputOf(form, first);
  const isWritten = kind === "value" || texts[kind] !== "";
  const why = names.length === 0 ? "Choose an environment" : isWritten ? null : WRITE_FIRST[kind];
  const text = {
    className: "code",
    value: texts[kind],
    autoComplete: "off",
    spellCheck: false,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      put({ texts: { ...texts, [kind]: target.value } }),
  };
  const rows = Math.min(12, 2 + texts[kind].split("\n").length);
  return (
    <Dialog title={`Change ${of}`} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        {change.seen === null && (
          <>
            <p className="quiet">
              {entry ? `${environment.name} has now:` : `${environment.name} has no entry of this key.`}
            </p>
            {entry && <StoredAs entry={entry} />}
            <Field label={kind === "secret" ? "Name of the secret" : "Value"} hint={STORE_HINTS[kind]}>
              {(control) =>
                kind === "secret" ? <input {...control} {...text} /> : <textarea {...control} {...text} rows={rows} />
              }
            </Field>
            <StoreAs kinds={KINDS} kind={kind} onChoose={(one) => put({ kind: one })}>
              {kind !== "value" && (
                <label className="check">
                  <input
                    type="checkbox"
                    checked={isSensitive}
                    onChange={({ target }) => put({ isSensitive: target.checked })}
                  />
                  Sensitive: lists of variables never show the value
                </label>
              )}
            </StoreAs>
            <Field label="Comment" hint="For people; it is no secret.">
              {(control) => (
                <input
                  {...control}
                  maxLength={500}
                  value={comment}
                  autoComplete="off"
                  onChange={({ target }) => put({ comment: target.value })}
                />
              )}
            </Field>
            <InWhich environments={environments} chosen={names} onChoose={setChosen} />
          </>
        )}
        <Review
          change={change}
          changes={Object.fromEntries(names.map((name) => [name, { set: { [of]: input } }]))}
          disabledBecause={why}
        />
      </form>
    </Dialog>
  );
}

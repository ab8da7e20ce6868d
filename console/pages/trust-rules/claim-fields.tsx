// The claims that a token has to have: a row for each, with what it has to be.
import { useId } from "react";
import type { ReactNode } from "react";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { problemWith } from "../../parts/form.tsx";
import { newRow, rowProblem } from "./claim-rows.ts";
import type { ClaimRow } from "./claim-rows.ts";
import "../../style/trust-rules.css";

interface Props {
  readonly rows: readonly ClaimRow[];
  readonly onChange: (rows: readonly ClaimRow[]) => void;
  readonly error: Error | null;
  /** Whether somebody has tried to send it, so that what is unfinished is a mistake. */
  readonly isSent: boolean;
}

/** What a refusal calls the claim of a row. */
export const fieldOfRow = ({ claim }: ClaimRow): string => `claims.${claim.trim()}`;

export function ClaimFields({ rows, onChange, error, isSent }: Props): ReactNode {
  const id = useId();
  const problem = problemWith(error, "claims");
  const replace = (row: ClaimRow, change: Partial<ClaimRow>): void =>
    onChange(rows.map((one) => (one.id === row.id ? { ...row, ...change } : one)));
  return (
    <fieldset className="bounds claims" aria-describedby={problem ? `${id}-hint ${id}-problem` : `${id}-hint`}>
      <legend>What has to fit</legend>
      <p id={`${id}-hint`} className="hint">
        All of these claims. Each line is one pattern, of which one has to fit. * stands for any characters but / and :,
        and ** for any.
      </p>
      {rows.map((row) => (
        <div key={row.id} className="claim">
          <Field label="Claim">
            {(control) => (
              <input
                {...control}
                value={row.claim}
                required
                autoComplete="off"
                spellCheck={false}
                autoCapitalize="off"
                onChange={({ target }) => replace(row, { claim: target.value })}
              />
            )}
          </Field>
          <Field
            label="Has to be"
            problem={(isSent ? rowProblem(row, rows) : null) ?? problemWith(error, fieldOfRow(row))}
          >
            {(control) => (
              <textarea
                {...control}
                className="code"
                value={row.text}
                rows={Math.max(1, row.text.split("\n").length)}
                required
                spellCheck={false}
                autoCapitalize="off"
                onChange={({ target }) => replace(row, { text: target.value })}
              />
            )}
          </Field>
          <div className="tools">
            <label className="check">
              <input
                type="checkbox"
                checked={row.isJson}
                onChange={({ target }) => replace(row, { isJson: target.checked })}
              />
              As JSON: numbers, true or false
            </label>
            <Button
              kind="plain"
              aria-label={`Remove the claim ${row.claim}`}
              disabledBecause={rows.length === 1 ? "A rule has at least one claim" : null}
              onClick={() => onChange(rows.filter(({ id: other }) => other !== row.id))}
            >
              Remove
            </Button>
          </div>
        </div>
      ))}
      {problem && (
        <p id={`${id}-problem`} className="field-problem" role="alert">
          {problem}
        </p>
      )}
      <Button kind="plain" onClick={() => onChange([...rows, newRow()])}>
        Add a claim
      </Button>
    </fieldset>
  );
}

// Sets entries of one or several environments: one key, or many pasted as KEY=VALUE lines.
import { useState } from "react";
import type { ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { parseEnvText } from "../../parts/env-text.ts";
import { Field } from "../../parts/field.tsx";
import { TEXTS, fill } from "../../texts.ts";
import type { Environment } from "./project-environments.ts";
import { Review, useStore } from "./review.tsx";

const T = TEXTS.environments;
const KINDS = ["secretValue", "value", "secret"] as const;
type Kind = (typeof KINDS)[number];

interface Props {
  readonly environments: readonly Environment[];
  /** The environment that is chosen first. */
  readonly first: string;
  /** Its one key; null: lines are pasted. */
  readonly of: string | null;
  readonly onClose: () => void;
}

export function ChangeEntries({ environments, first, of, onClose }: Props): ReactNode {
  const [kind, setKind] = useState<Kind>("secretValue");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([first]);
  const change = useStore(environments, onClose);
  const { entries, problems } = parseEnvText(of === null ? text : "", String);
  const [problem] = problems;
  const pairs = of === null ? entries.map(({ name, value }) => [name, value] as const) : [[of, text] as const];
  const set = Object.fromEntries(pairs.map(([key, value]) => [key, { [kind]: value }]));
  const changes = Object.fromEntries(chosen.map((name) => [name, { set }]));
  const isLooked = change.seen !== null;
  const why = problem
    ? fill(TEXTS.secretsText.lineProblem, { line: problem.line, reason: TEXTS.secretsText.reasons[problem.reason] })
    : chosen.length === 0
      ? T.chooseFirst
      : pairs.length === 0 || (of !== null && kind === "secret" && text === "")
        ? T.writeFirst
        : null;
  return (
    <Dialog title={of === null ? T.paste : fill(T.changeKey, { key: of })} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <fieldset className="bounds" disabled={isLooked}>
          <legend>{T.storeAs}</legend>
          {KINDS.map((one) => (
            <label key={one} className="check">
              <input type="radio" name="kind" checked={kind === one} onChange={() => setKind(one)} />
              {T.storeKinds[one]}
            </label>
          ))}
        </fieldset>
        <Field
          label={of === null ? T.lines : kind === "secret" ? T.secretName : T.value}
          hint={of === null ? T.linesHint : undefined}
          problem={text !== "" && problem ? why : null}
        >
          {(control) => (
            <textarea
              {...control}
              rows={of === null ? 8 : 3}
              className="code"
              value={text}
              readOnly={isLooked}
              autoComplete="off"
              spellCheck={false}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <fieldset className="bounds" disabled={isLooked}>
          <legend>{T.inWhich}</legend>
          {environments.map(({ name }) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={chosen.includes(name)}
                onChange={({ target }) =>
                  setChosen(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
        <Review change={change} changes={changes} disabledBecause={why} />
      </form>
    </Dialog>
  );
}

// Sets entries of one or several environments: lines of KEY=VALUE, as in .env files.
import { useState } from "react";
import type { ReactNode } from "react";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { InWhich, StoreAs, stillThere } from "./entry-fields.tsx";
import { markWords } from "../../parts/env-text.ts";
import { readEntryText, refusedLine } from "./entry-text.ts";
import type { Environment } from "./project-environments.ts";
import { Review, useStore } from "./review.tsx";

const KINDS = ["secretValue", "value"] as const;

interface Props {
  readonly environments: readonly Environment[];
  /** The environment that is chosen first. */
  readonly first: string;
  readonly onClose: () => void;
}

export function PasteEntries({ environments, first, onClose }: Props): ReactNode {
  const [kind, setKind] = useState<(typeof KINDS)[number]>("secretValue");
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState<readonly string[]>([first]);
  const change = useStore(environments, onClose);
  const { lines, problems } = readEntryText(text);
  const set = Object.fromEntries(
    lines.map((line) => [line.key, "text" in line.set ? { [kind]: line.set.text } : line.set]),
  );
  const names = stillThere(environments, chosen);
  const refused = refusedLine(change.error, lines);
  const [wrong = refused] = problems;
  const problem = wrong && markWords(wrong);
  const why =
    (problems.length > 0 ? problem : null) ??
    (names.length === 0 ? "Choose an environment" : lines.length === 0 ? "There is nothing to store yet" : null);
  return (
    <Dialog title="Paste entries" onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        {change.seen === null && (
          <>
            <Field
              label="Entries"
              hint="KEY=VALUE, one on each line, as in .env files. KEY=@secret:NAME refers to a secret of the team; a value that begins so goes in quotes."
              problem={problem}
            >
              {(control) => (
                <textarea
                  {...control}
                  rows={8}
                  className="code"
                  value={text}
                  autoComplete="off"
                  spellCheck={false}
                  onChange={({ target }) => setText(target.value)}
                />
              )}
            </Field>
            <StoreAs kinds={KINDS} kind={kind} onChoose={setKind} />
            <InWhich environments={environments} chosen={names} onChoose={setChosen} />
          </>
        )}
        <Review
          change={change}
          changes={Object.fromEntries(names.map((name) => [name, { set }]))}
          disabledBecause={why}
          isShown={refused !== null}
        />
      </form>
    </Dialog>
  );
}

// The own entries of an environment as one text: plain values as they are, secrets as references.
import { useState } from "react";
import type { ReactNode } from "react";
import { TextEditor } from "../../parts/editor/text-editor.tsx";
import { markWords } from "../../parts/env-text.ts";
import { useLeaveWarning } from "../../parts/leave-warning.ts";
import { Refusal } from "../../parts/proof.tsx";
import { SaveBar } from "../../parts/save-bar.tsx";
import { EntryCounts, EntryDiff } from "./entry-diff.tsx";
import type { EntryChange } from "./entry-diff.tsx";
import { readEntryText, refusedLine, renderEntries } from "./entry-text.ts";
import type { Line } from "./entry-text.ts";
import { ownOf, useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { ChangedMeanwhile, useStore } from "./review.tsx";
import type { EntryInput } from "./review.tsx";

const inputOf = (set: Line["set"]): EntryInput => ("text" in set ? { value: set.text } : set);

/** What a text changes of another one. What others stored meanwhile is not taken for a change that was made here. */
function changesOf(before: readonly Line[], after: readonly Line[]): readonly EntryChange[] {
  const setsOf = (lines: readonly Line[]) => new Map(lines.map(({ key, set }) => [key, set]));
  const [old, next] = [setsOf(before), setsOf(after)];
  return [...new Set([...next.keys(), ...old.keys()])]
    .map((key) => ({ key, before: old.get(key) ?? null, after: next.get(key) ?? null }))
    .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after));
}

/** As the API takes them. */
const bodyOf = (changes: readonly EntryChange[]) => ({
  set: Object.fromEntries(changes.flatMap(({ key, after }) => (after ? [[key, inputOf(after)] as const] : []))),
  remove: changes.flatMap(({ key, after }) => (after ? [] : [key])),
});

interface Props {
  /** As it was when this was first shown: another version is another editor. */
  readonly environment: Environment;
  readonly onTyped: (isTyped: boolean) => void;
  readonly onStored: (version: number) => void;
}

export function EditText({ environment, onTyped, onStored }: Props): ReactNode {
  const { name, version } = environment;
  const [first] = useState(() => renderEntries(ownOf(environment)));
  const [text, setText] = useState(first);
  const change = useStore([environment], ({ environments: [stored] }) => onStored(stored?.version ?? 0));
  const why = useWhyNotWrite();
  useLeaveWarning(text !== first);
  const { lines, problems } = readEntryText(text);
  const changes = changesOf(readEntryText(first).lines, lines);
  const refused = refusedLine(change.error, lines);
  const wrong = refused ? [...problems, refused] : problems;
  const type = (typed: string): void => {
    setText(typed);
    // What was refused is no longer what is there.
    if (refused) change.back();
    onTyped(typed !== first);
  };
  const store = (): void => change.store({ [name]: bodyOf(changes) });
  return (
    <section>
      {change.error && !refused && <Refusal error={change.error} retry={store} />}
      {change.conflict !== null && <ChangedMeanwhile environment={name} />}
      <div className="text-and-review">
        <TextEditor
          label="Text"
          hint="Its own entries. KEY=@secret:NAME refers to a secret of the team; a plain value that begins so goes in quotes. Comments of entries stay."
          marks={wrong}
          language="plain"
          value={text}
          readOnly={why !== null || change.isBusy}
          onChange={type}
        />
        <section className="panel" aria-labelledby="changes" aria-live="polite">
          <header>
            <h2 id="changes">Review changes</h2>
            <EntryCounts changes={changes} />
          </header>
          {changes.length === 0 ? (
            <p className="quiet">Nothing would change. What you type in the text is shown here before it is saved.</p>
          ) : (
            <>
              <EntryDiff changes={changes} />
              <p className="hint">Values of secrets are not shown. What is removed is inherited again, if it can be.</p>
            </>
          )}
        </section>
      </div>
      <SaveBar
        changes={changes.length}
        label={`Save as version ${version + 1}`}
        whyNot={why ?? (problems[0] ? markWords(problems[0]) : changes.length === 0 ? "Nothing would change" : null)}
        busy={change.isBusy}
        onSave={store}
        onDiscard={() => type(first)}
      />
    </section>
  );
}

// The own entries of an environment as one text: plain values as they are, secrets as references.
import { useState } from "react";
import type { ReactNode } from "react";
import { TextEditor } from "../../parts/editor/text-editor.tsx";
import { useLeaveWarning } from "../../parts/leave-warning.ts";
import { readEntryText, refusedLine, renderEntries } from "./entry-text.ts";
import type { Line } from "./entry-text.ts";
import { useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { Review, useStore } from "./review.tsx";
import type { EntryInput } from "./review.tsx";

const inputOf = ({ set }: Line): EntryInput => ("text" in set ? { value: set.text } : set);

/** What a text changes of another one, by key. What others stored meanwhile is not taken for a change that was made here. */
function changesOf(before: readonly Line[], after: readonly Line[]) {
  const known = new Map(before.map(({ key, set }) => [key, JSON.stringify(set)]));
  const set = after.filter((line) => known.get(line.key) !== JSON.stringify(line.set));
  const keys = new Set(after.map(({ key }) => key));
  return {
    set: Object.fromEntries(set.map((line) => [line.key, inputOf(line)])),
    remove: [...known.keys()].filter((key) => !keys.has(key)),
  };
}

interface Props {
  /** As it was when this was first shown: another version is another editor. */
  readonly environment: Environment;
  readonly onTyped: (isTyped: boolean) => void;
  readonly onStored: (version: number) => void;
}

export function EditText({ environment, onTyped, onStored }: Props): ReactNode {
  const { name, entries } = environment;
  const [first] = useState(() => renderEntries(entries.filter(({ isInherited }) => !isInherited)));
  const [text, setText] = useState(first);
  const change = useStore([environment], ({ environments: [stored] }) => onStored(stored?.version ?? 0));
  const why = useWhyNotWrite();
  useLeaveWarning(text !== first);
  const { lines, problem } = readEntryText(text);
  const changes = changesOf(readEntryText(first).lines, lines);
  const isSame = changes.remove.length === 0 && Object.keys(changes.set).length === 0;
  const refused = refusedLine(change.error, lines);
  return (
    <section>
      <h2>As text</h2>
      <TextEditor
        label="Text"
        hint="Its own entries. KEY=@secret:NAME refers to a secret of the team; a plain value that begins so goes in quotes. Comments of entries stay."
        problem={problem ?? refused}
        language="plain"
        value={text}
        readOnly={why !== null || change.seen !== null}
        onChange={(typed) => {
          setText(typed);
          onTyped(typed !== first);
        }}
      />
      <Review
        change={change}
        changes={{ [name]: changes }}
        disabledBecause={why ?? problem ?? (isSame ? "Nothing would change" : null)}
        isShown={refused !== null}
      />
    </section>
  );
}

// The own entries of an environment as one text: plain values as they are, secrets as references.
import { useState } from "react";
import type { ReactNode } from "react";
import { useMay } from "../../api/team.ts";
import { TextEditor } from "../../parts/editor/text-editor.tsx";
import { formatEnvText, parseEnvText } from "../../parts/env-text.ts";
import { useLeaveWarning } from "../../parts/leave-warning.ts";
import { TEXTS, fill } from "../../texts.ts";
import type { Entry, Environment } from "./project-environments.ts";
import { Review, useStore } from "./review.tsx";

const T = TEXTS.environments;
const REFERENCE = "@secret:";

const lineOf = ({ key, secret, value = "" }: Entry): string =>
  secret ? `${key}=${REFERENCE}${secret.name ?? secret.uid}\n` : formatEnvText([{ name: key, value }]);

type Input = { readonly secret: string } | { readonly value: string };

/** What the lines of a text mean, by key. */
function meaningOf(entries: ReturnType<typeof parseEnvText>["entries"]): ReadonlyMap<string, Input> {
  return new Map(
    entries.map(({ name, value, isQuoted }) => [
      name,
      !isQuoted && value.startsWith(REFERENCE) ? { secret: value.slice(REFERENCE.length) } : { value },
    ]),
  );
}

export function EditText({
  environment,
  onStored,
}: {
  readonly environment: Environment;
  readonly onStored: (version: number) => void;
}) {
  const { name } = environment;
  // What others store meanwhile is not taken for a change that was made here.
  const [first] = useState(() =>
    environment.entries
      .filter(({ isInherited }) => !isInherited)
      .map(lineOf)
      .join(""),
  );
  const [text, setText] = useState(first);
  const change = useStore([environment], ({ environments: [stored] }) => onStored(stored?.version ?? 0));
  const why = useMay("environment:write") === false ? T.mayNotWrite : null;
  useLeaveWarning(text !== first);
  const { entries, problems } = parseEnvText(text, String);
  const [problem] = problems;
  const [before, after] = [meaningOf(parseEnvText(first, String).entries), meaningOf(entries)];
  const isNew = ([key, input]: readonly [string, Input]): boolean =>
    JSON.stringify(before.get(key)) !== JSON.stringify(input);
  const set = Object.fromEntries([...after].filter(isNew));
  const remove = [...before.keys()].filter((key) => !after.has(key));
  const isSame = remove.length === 0 && Object.keys(set).length === 0;
  const wrong =
    problem &&
    fill(TEXTS.secretsText.lineProblem, { line: problem.line, reason: TEXTS.secretsText.reasons[problem.reason] });
  return (
    <section>
      <h2>{T.asText}</h2>
      <TextEditor
        label={T.text}
        hint={T.textHint}
        problem={wrong ?? null}
        language="plain"
        value={text}
        readOnly={why !== null || change.seen !== null}
        onChange={setText}
      />
      <Review
        change={change}
        changes={{ [name]: { set, remove } }}
        disabledBecause={why ?? wrong ?? (isSame ? T.nothingChanges : null)}
      />
    </section>
  ) as ReactNode;
}

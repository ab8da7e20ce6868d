// Many secrets as one text, stored as one change: paste it, look at what would change, and store all or nothing.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { TextEditor } from "../../parts/editor/text-editor.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { parseEnvText } from "../../parts/env-text.ts";
import type { LineProblem } from "../../parts/env-text.ts";
import { ReviewChanges } from "./review-changes.tsx";
import { usePresentValues } from "./present-values.ts";
import { useLeaveWarning } from "../../parts/leave-warning.ts";

const T = TEXTS.secretsText;

function describe({ line, reason }: LineProblem): string {
  return fill(T.lineProblem, { line, reason: T.reasons[reason] });
}

export function SecretsTextPage(): ReactNode {
  const teamId = useTeamId();
  const [text, setText] = useState("");
  const [isReviewed, setReviewed] = useState(false);
  const [storedAt, setStoredAt] = useState<number | null>(null);
  const present = usePresentValues(setText);
  const why = useMay("secret:write") === false ? TEXTS.secrets.mayNotWrite : null;
  const whyNotLoad = useMay("secret:reveal") === false ? TEXTS.secret.mayNotReveal : null;
  useLeaveWarning(text !== "");
  const { entries, problems } = parseEnvText(text);
  const [first] = problems;
  const nothing = entries.length === 0 ? T.nothing : null;
  const finish = (): void => {
    setText("");
    setReviewed(false);
    setStoredAt(Date.now());
    present.forget();
  };
  return (
    <>
      <p>{T.what}</p>
      {storedAt !== null && text === "" && (
        <output className="notice good">
          {T.stored} <Time at={storedAt} />. <Link href={`/teams/${teamId}/secrets`}>{TEXTS.secrets.toList}</Link>
        </output>
      )}
      {present.error && <Refusal error={present.error} retry={present.load} />}
      {present.leftOut > 0 && <p className="quiet">{fill(T.leftOut, { count: present.leftOut })}</p>}
      <TextEditor
        label={T.text}
        hint={T.hint}
        problem={first ? describe(first) : null}
        language="plain"
        value={text}
        readOnly={isReviewed}
        onChange={setText}
      />
      {isReviewed ? (
        <ReviewChanges entries={entries} present={present.values} onBack={() => setReviewed(false)} onStored={finish} />
      ) : (
        <div className="tools">
          <Button disabledBecause={why ?? nothing ?? (first ? T.mendFirst : null)} onClick={() => setReviewed(true)}>
            {T.review}
          </Button>
          <Button
            kind="plain"
            disabledBecause={whyNotLoad ?? (text === "" ? null : T.loadWhenEmpty)}
            busy={present.isLoading}
            onClick={present.load}
          >
            {T.load}
          </Button>
        </div>
      )}
    </>
  );
}

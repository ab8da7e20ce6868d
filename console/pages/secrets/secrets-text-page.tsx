// Many secrets as one text, stored as one change: paste it, look at what would change, and store all or nothing.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { TextEditor } from "../../parts/editor/text-editor.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { Time } from "../../parts/time.tsx";
import { parseEnvText, REASONS } from "../../parts/env-text.ts";
import { useWhyNot } from "../../parts/why-not.ts";
import { ReviewChanges } from "./review-changes.tsx";
import { usePresentValues } from "./present-values.ts";
import { useLeaveWarning } from "../../parts/leave-warning.ts";

export function SecretsTextPage(): ReactNode {
  const teamId = useTeamId();
  const [text, setText] = useState("");
  const [isReviewed, setReviewed] = useState(false);
  const [storedAt, setStoredAt] = useState<number | null>(null);
  const present = usePresentValues(setText);
  const why = useWhyNot("secret:write");
  const whyNotLoad = useWhyNot("secret:reveal");
  useLeaveWarning(text !== "");
  const { entries, problems } = parseEnvText(text);
  const [first] = problems;
  const nothing = entries.length === 0 ? "There is nothing to store yet" : null;
  const finish = (): void => {
    setText("");
    setReviewed(false);
    setStoredAt(Date.now());
    present.forget();
  };
  return (
    <>
      <p>
        Paste or write many secrets at once. They are stored as one change: all of them, or none. Secrets that the text
        does not name stay as they are.
      </p>
      {storedAt !== null && text === "" && (
        <output className="notice good">
          All of them are stored, <Time at={storedAt} />.{" "}
          <Link href={`/teams/${teamId}/secrets`}>Back to the secrets</Link>
        </output>
      )}
      {present.error && <Refusal error={present.error} retry={present.load} />}
      {present.leftOut > 0 && (
        <p className="quiet">{present.leftOut} are left out: their values are sealed, have ended, or are no text.</p>
      )}
      <TextEditor
        label="Text"
        hint="NAME=VALUE, one on each line, as in .env files. Values of several lines go in quotes."
        marks={problems.map(({ line, reason }) => ({ line, text: REASONS[reason] }))}
        language="plain"
        value={text}
        readOnly={isReviewed}
        onChange={setText}
      />
      {isReviewed ? (
        <ReviewChanges entries={entries} present={present.values} onBack={() => setReviewed(false)} onStored={finish} />
      ) : (
        <div className="tools">
          <Button
            disabledBecause={why ?? nothing ?? (first ? "A line of the text means nothing here" : null)}
            onClick={() => setReviewed(true)}
          >
            Review changes
          </Button>
          <Button
            kind="plain"
            disabledBecause={whyNotLoad ?? (text === "" ? null : "They would replace what is in the text")}
            busy={present.isLoading}
            onClick={present.load}
          >
            Fill in the present values of the newest 100
          </Button>
        </div>
      )}
    </>
  );
}

// What a receiver runs to know that a delivery is genuine, in the language of one's choice.
import { useState } from "react";
import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import { TEXTS } from "../../texts.ts";
import { SNIPPETS } from "./verify-snippets.ts";

const T = TEXTS.webhooks;

export function VerifyCode(): ReactNode {
  const [chosen, setChosen] = useState(0);
  const code = SNIPPETS[chosen]?.code ?? "";
  return (
    <details className="panel">
      <summary>{T.verify}</summary>
      <p>{T.verifyWhat}</p>
      <div className="tools">
        <select aria-label={T.language} value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
          {SNIPPETS.map(({ language }, at) => (
            <option key={language} value={at}>
              {language}
            </option>
          ))}
        </select>
        <CopyButton text={code} />
      </div>
      <textarea readOnly className="code" rows={18} aria-label={T.verify} value={code} spellCheck={false} />
    </details>
  );
}

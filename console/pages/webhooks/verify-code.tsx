// What a receiver runs to know that a delivery is genuine, in the language of one's choice.
import { useState } from "react";
import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import { SNIPPETS } from "./verify-snippets.ts";

export function VerifyCode(): ReactNode {
  const [chosen, setChosen] = useState(0);
  const code = SNIPPETS[chosen]?.code ?? "";
  return (
    <section>
      <p>
        A receiver runs this over the raw body before it believes what is in it. A library of Standard Webhooks does the
        same.
      </p>
      <div className="tools">
        <select aria-label="Language" value={chosen} onChange={(event) => setChosen(Number(event.target.value))}>
          {SNIPPETS.map(({ language }, at) => (
            <option key={language} value={at}>
              {language}
            </option>
          ))}
        </select>
        <CopyButton text={code} />
      </div>
      <textarea
        readOnly
        className="code"
        rows={18}
        aria-label="Code that verifies a delivery"
        value={code}
        spellCheck={false}
      />
    </section>
  );
}

// What a receiver runs to know that a delivery is genuine, in the language of one's choice.
import { useState } from "react";
import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import { Select } from "../../parts/select.tsx";
import { SNIPPETS } from "./verify-snippets.ts";

export function VerifyCode(): ReactNode {
  const [chosen, setChosen] = useState(SNIPPETS[0]?.language ?? "");
  const code = SNIPPETS.find(({ language }) => language === chosen)?.code ?? "";
  return (
    <section>
      <p>
        A receiver runs this over the raw body before it believes what is in it. A library of Standard Webhooks does the
        same.
      </p>
      <div className="tools">
        <Select
          aria-label="Language"
          choices={SNIPPETS.map(({ language }) => language)}
          value={chosen}
          onChange={setChosen}
        />
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

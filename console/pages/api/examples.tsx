// An operation's example in the languages that there are, each with a button that copies it.
import { useId } from "react";
import type { ReactNode } from "react";
import { API } from "../../api/call.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { TEXTS } from "../../texts.ts";
import type { Operation } from "./operations.ts";
import { snippetsOf } from "./snippets.ts";
import type { Snippet } from "./snippets.ts";

const T = TEXTS.api;

export function Examples({ operation }: { readonly operation: Operation }): ReactNode {
  const group = useId();
  const snippets = snippetsOf(operation, API.href);
  const [language, setLanguage] = useSearchValue("in");
  const shown = (snippets.find((one) => one.language === language) ?? snippets[0]) as Snippet;
  return (
    <section className="panel" aria-labelledby={`${group}-title`}>
      <h3 id={`${group}-title`}>{T.examples}</h3>
      <fieldset className="choice">
        <legend className="hidden">{T.language}</legend>
        {snippets.map((one) => (
          <label key={one.language}>
            <input
              type="radio"
              name={group}
              checked={one === shown}
              onChange={() => setLanguage(one.language === "curl" ? "" : one.language)}
            />
            {T.languages[one.language]}
          </label>
        ))}
      </fieldset>
      <pre className="code">{shown.text}</pre>
      <CopyButton text={shown.text} />
      <p className="hint">{operation.access === "session" ? T.sessionHint : T.tokenHint}</p>
    </section>
  );
}

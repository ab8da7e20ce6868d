// An operation's example in the languages that there are, each with a button that copies it.
import { useId } from "react";
import type { ReactNode } from "react";
import { API } from "../../api/early.ts";
import { CopyButton } from "../../parts/copy.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import type { Operation } from "./operations.ts";
import { snippetsOf } from "./snippets.ts";
import type { Snippet } from "./snippets.ts";

const LANGUAGE_NAMES = { curl: "curl", typescript: "TypeScript", sdk: "@vercel/sdk" };

export function Examples({ operation }: { readonly operation: Operation }): ReactNode {
  const group = useId();
  const snippets = snippetsOf(operation, API.href);
  const [language, setLanguage] = useSearchValue("in");
  const shown = (snippets.find((one) => one.language === language) ?? snippets[0]) as Snippet;
  return (
    <section className="panel" aria-labelledby={`${group}-title`}>
      <h2 id={`${group}-title`}>Examples</h2>
      <fieldset className="choice">
        <legend className="hidden">Language</legend>
        {snippets.map((one) => (
          <label key={one.language}>
            <input
              type="radio"
              name={group}
              checked={one === shown}
              onChange={() => setLanguage(one.language === "curl" ? "" : one.language)}
            />
            {LANGUAGE_NAMES[one.language]}
          </label>
        ))}
      </fieldset>
      <pre className="code">{shown.text}</pre>
      <CopyButton text={shown.text} />
      <p className="hint">
        {operation.access === "session"
          ? "Only the session of a browser may call this; REEVE_SESSION is its cookie."
          : "REEVE_TOKEN is an access token or an API key."}
      </p>
    </section>
  );
}

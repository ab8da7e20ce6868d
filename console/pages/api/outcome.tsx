// What came back from a call: its status, the headers that matter, and the body.
import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import { TEXTS, fill } from "../../texts.ts";
import type { Outcome } from "./send.ts";

const T = TEXTS.api;

/** A text area can be scrolled and selected by keyboard, and its text cannot be taken for markup. */
function ResponseBody({ text }: { readonly text: string }): ReactNode {
  const lines = text.split("\n", 30).length;
  return (
    <>
      <textarea className="code-input" readOnly aria-label={T.responseBody} rows={lines + 1} value={text} />
      <CopyButton text={text} />
    </>
  );
}

export function OutcomeView({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const { headers, isWhole, ms, status, text } = outcome;
  return (
    <div className="outcome">
      <output>
        <strong className={status < 400 ? "badge good" : "badge bad"}>{fill(T.status, { status })}</strong>{" "}
        <span className="quiet">{fill(isWhole ? T.took : T.receiving, { ms })}</span>
      </output>
      {status === 401 && (
        <p>
          <a
            href={`sign-in?return=${encodeURIComponent(location.pathname.slice(new URL(document.baseURI).pathname.length))}`}
          >
            {T.signInAgain}
          </a>
        </p>
      )}
      <dl>
        {headers.map(([name, value]) => [
          <dt key={`${name}-name`}>{name}</dt>,
          <dd key={name}>
            <code>{value}</code>
          </dd>,
        ])}
      </dl>
      {text === "" ? isWhole && <p className="quiet">{T.noBody}</p> : <ResponseBody text={text} />}
    </div>
  );
}

// What came back from a call: its status, the headers that matter, and the body.
import type { ReactNode } from "react";
import { CopyButton } from "../../parts/copy.tsx";
import type { Outcome } from "./send.ts";

/** A text area can be scrolled and selected by keyboard, and its text cannot be taken for markup. */
function ResponseBody({ text }: { readonly text: string }): ReactNode {
  const lines = text.split("\n", 30).length;
  return (
    <>
      <textarea className="code-input" readOnly aria-label="Body of the response" rows={lines + 1} value={text} />
      <CopyButton text={text} />
    </>
  );
}

export function OutcomeView({ outcome }: { readonly outcome: Outcome }): ReactNode {
  const { headers, isWhole, ms, status, text } = outcome;
  return (
    <div className="outcome">
      <output>
        <strong className={status < 400 ? "badge good" : "badge bad"}>Status {status}</strong>{" "}
        <span className="quiet">{isWhole ? `in ${ms} ms` : `in ${ms} ms; the body is coming`}</span>
      </output>
      {status === 401 && (
        <p>
          <a
            href={`sign-in?return=${encodeURIComponent(location.pathname.slice(new URL(document.baseURI).pathname.length))}`}
          >
            Your session has ended: sign in
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
      {text === "" ? isWhole && <p className="quiet">No body.</p> : <ResponseBody text={text} />}
    </div>
  );
}

// A form that sends a call of the reader's own, with their session.
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useId, useRef, useState } from "react";
import type { ReactNode } from "react";
import type { Resolve } from "../../../src/serve/reference/schema-words.ts";
import { API } from "../../api/early.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Refusal } from "../../parts/proof.tsx";
import { changes } from "./operations.ts";
import type { Operation } from "./operations.ts";
import { OutcomeView } from "./outcome.tsx";
import { send, urlOf } from "./send.ts";
import type { Filled, Outcome } from "./send.ts";
import { CallFields } from "./try-it-fields.tsx";

/** Sends calls one after another, and holds what came of the last one. */
function useSending(operation: Operation) {
  const client = useQueryClient();
  const running = useRef<AbortController | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [isSending, setSending] = useState(false);
  useEffect(() => () => running.current?.abort(), []);
  const start = async (filled: Filled): Promise<void> => {
    running.current?.abort();
    const own = new AbortController();
    running.current = own;
    setError(null);
    setOutcome(null);
    setSending(true);
    try {
      await send(operation, filled, own.signal, (seen) => running.current === own && setOutcome(seen));
    } catch (failure) {
      if (running.current === own && !own.signal.aborted) setError(failure as Error);
    }
    if (running.current !== own) return;
    setSending(false);
    // Other pages show what it may have changed.
    if (changes(operation))
      await client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "openapi.json" });
  };
  return { outcome, error, isSending, start, stop: () => running.current?.abort() };
}

/** Asks before a call changes something. */
function Confirm({
  operation,
  filled,
  onClose,
  onSend,
}: {
  readonly operation: Operation;
  readonly filled: Filled;
  readonly onClose: () => void;
  readonly onSend: () => void;
}): ReactNode {
  const { method } = operation;
  const isDelete = method === "DELETE";
  return (
    <Dialog title={isDelete ? "Send this deletion?" : "Send this change?"} onClose={onClose}>
      <p>
        {isDelete
          ? "It is carried out at once on this server, as your own account. What it deletes may not come back."
          : "It is carried out at once on this server, as your own account."}
      </p>
      <div className="value">
        {method} {urlOf(operation, filled, API).href}
        {filled.body !== "" && `\n\n${filled.body}`}
      </div>
      <footer>
        <Button kind={isDelete ? "danger" : "main"} onClick={onSend}>
          Send
        </Button>
        <Button kind="plain" onClick={onClose}>
          Cancel
        </Button>
      </footer>
    </Dialog>
  );
}

/** What is wrong with a text that should be JSON; null: nothing. */
function jsonProblem(text: string): string | null {
  if (text === "") return null;
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

export function TryIt({ resolve, operation }: { readonly resolve: Resolve; readonly operation: Operation }): ReactNode {
  const title = useId();
  const [asked, setAsked] = useState<Filled | null>(null);
  const [sent, setSent] = useState<Filled | null>(null);
  const [bodyProblem, setBodyProblem] = useState<string | null>(null);
  const { outcome, error, isSending, start, stop } = useSending(operation);
  const begin = (filled: Filled): void => {
    setAsked(null);
    setSent(filled);
    void start(filled);
  };
  const submit = onSubmit((field) => {
    const values = operation.parameters.map(({ in: place, name }) => [`${place}.${name}`, field(`${place}.${name}`)]);
    const filled = { values: Object.fromEntries(values), accept: field("accept"), body: field("body") };
    const problem = jsonProblem(filled.body);
    setBodyProblem(problem && `This is not JSON: ${problem}`);
    if (problem !== null) return;
    if (changes(operation)) setAsked(filled);
    else begin(filled);
  });
  const refusal = outcome?.refusal ?? null;
  return (
    <section className="panel" aria-labelledby={title}>
      <h2 id={title}>Try it</h2>
      <p className="hint">It is sent to this server with your session, and does what it says.</p>
      <form onSubmit={submit}>
        <CallFields resolve={resolve} operation={operation} refusal={refusal} bodyProblem={bodyProblem} />
        <Button type="submit" busy={isSending}>
          Send
        </Button>
        {isSending && (
          <Button kind="plain" onClick={stop}>
            Stop
          </Button>
        )}
      </form>
      {asked && (
        <Confirm operation={operation} filled={asked} onClose={() => setAsked(null)} onSend={() => begin(asked)} />
      )}
      {error && <Problem error={error} />}
      {refusal?.code === "proof_required" && sent && <Refusal error={refusal} retry={() => void start(sent)} />}
      {outcome && <OutcomeView outcome={outcome} />}
    </section>
  );
}

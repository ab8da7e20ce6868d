// What differs between two versions, or what one changed: below their table, and read next.
import { X } from "lucide-react";
import { useId } from "react";
import type { ReactNode } from "react";
import { useApi } from "../../../api/queries.ts";
import { Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Differences } from "../difference.tsx";
import { useFirewallQuery } from "../firewall-config.ts";

interface Props {
  /** `12..14`, or `14` for what version 14 changed. */
  readonly compared: string;
  readonly onClose: () => void;
}

/** The focus goes back to what asked for the comparison. */
function focus(heading: HTMLElement | null): () => void {
  const before = document.activeElement;
  heading?.focus({ preventScroll: true });
  heading?.parentElement?.scrollIntoView();
  return () => before instanceof HTMLElement && before.focus();
}

export function Comparison({ compared, onClose }: Props): ReactNode {
  const heading = useId();
  const [first = "", second] = compared.split("..");
  const diff = useApi("GET /v1/firewalls/:configVersion/diff/:otherVersion", {
    params:
      second === undefined
        ? { configVersion: "previous", otherVersion: first }
        : { configVersion: first, otherVersion: second },
    query: useFirewallQuery(),
  });
  return (
    <section className="panel" aria-labelledby={heading}>
      <header>
        <h2 id={heading} ref={focus} tabIndex={-1}>
          {second === undefined ? `What version ${first} changed` : `Version ${first} to ${second}`}
        </h2>
        <button type="button" className="icon" aria-label="Close" onClick={onClose}>
          <X className="i" />
        </button>
      </header>
      {diff.error && <Problem error={diff.error} />}
      {!diff.error && !diff.data && <Skeleton rows={2} />}
      {!diff.error && diff.data && <Differences differences={diff.data.value.differences} />}
    </section>
  );
}

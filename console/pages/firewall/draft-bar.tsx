// Says what the draft is, on every page that changes it, with the way to publish it and to discard it.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Problem } from "../../parts/problem.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { useFirewallQuery } from "./firewall-config.ts";
import type { Configs } from "./firewall-config.ts";
import type { Config } from "./config-types.ts";
import { projectHref } from "../../parts/project.tsx";

const T = TEXTS.firewallDraft;

function DiscardDraft({ etag, onClose }: { readonly etag: string | null; readonly onClose: () => void }): ReactNode {
  const query = useFirewallQuery();
  const discard = useChange("DELETE /v1/firewalls/:configVersion", onClose);
  const act = (): void =>
    discard.mutate({ params: { configVersion: "draft" }, query, ...(etag === null ? {} : { ifMatch: etag }) });
  return (
    <Dialog title={T.discardTitle} onClose={onClose}>
      <p>{T.discardWhat}</p>
      {discard.error && <Problem error={discard.error} />}
      <footer>
        <Button kind="danger" busy={discard.isPending} onClick={act}>
          {T.discard}
        </Button>
        <Button kind="plain" onClick={onClose}>
          {TEXTS.dialog.cancel}
        </Button>
      </footer>
    </Dialog>
  );
}

function draftWords({ changeCount, basedOn }: Config): string {
  if (basedOn === null) return T.whatFirst;
  return fill(changeCount === 0 ? T.same : T.what, { version: basedOn, count: changeCount });
}

function Conflicts({ draft: { conflicts = [], changes } }: { readonly draft: Config }): ReactNode {
  if (conflicts.length === 0) return null;
  return (
    <>
      <strong>{T.conflicts}</strong>
      <ul>
        {conflicts.map(({ index, message }) => (
          <li key={index}>
            <code>{changes[index]?.action}</code> {changes[index]?.id}: {message}
          </li>
        ))}
      </ul>
      <p>{T.conflictsHint}</p>
    </>
  );
}

interface Props {
  readonly configs: Configs;
  readonly why: string | null;
  /** On the page that publishes it. */
  readonly isReview?: boolean;
}

export function DraftBar({ configs: { active, draft }, why, isReview = false }: Props): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [isDiscarding, setDiscarding] = useState(false);
  if (!draft) {
    return (
      <p className="quiet">{active ? fill(T.active, { version: active.value.version }) : TEXTS.firewallRules.none}</p>
    );
  }
  return (
    <div className="notice">
      <p>{draftWords(draft.value)}</p>
      <Conflicts draft={draft.value} />
      <div className="tools">
        {!isReview && (
          <Link className="button" href={projectHref(ADDRESSES.firewallPublish, teamId, projectId)}>
            {T.review}
          </Link>
        )}
        <Button kind="plain" disabledBecause={why} onClick={() => setDiscarding(true)}>
          {T.discard}
        </Button>
      </div>
      {isDiscarding && <DiscardDraft etag={draft.etag} onClose={() => setDiscarding(false)} />}
    </div>
  );
}

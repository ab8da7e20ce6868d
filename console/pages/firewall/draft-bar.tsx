// Says what the draft is, on every page that changes it, with the way to publish it and to discard it.
import { Pencil, ShieldCheck } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { useFirewallQuery } from "./firewall-config.ts";
import type { Configs } from "./firewall-config.ts";
import type { Config } from "./config-types.ts";
import { PageBadges, useTabCounts } from "../../parts/page-title.tsx";
import type { TabCounts } from "../../parts/page-title.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { projectHref } from "../../parts/project.tsx";

export function DiscardDraft({
  etag,
  onClose,
}: {
  readonly etag: string | null;
  readonly onClose: () => void;
}): ReactNode {
  const query = useFirewallQuery();
  const discard = useChange("DELETE /v1/firewalls/:configVersion", onClose);
  const act = (): void =>
    discard.mutate({ params: { configVersion: "draft" }, query, ...(etag === null ? {} : { ifMatch: etag }) });
  return (
    <Confirm
      title="Discard the draft?"
      what="Its changes are lost, those of others too. What is enforced stays as it is."
      label="Discard draft"
      change={discard}
      onConfirm={act}
      onClose={onClose}
    />
  );
}

export function draftWords({ changeCount, basedOn }: Config): string {
  if (basedOn === null) return "Draft of the first configuration";
  if (changeCount === 0) return `Draft without changes on version ${basedOn}`;
  return `Draft with ${changeCount} ${changeCount === 1 ? "change" : "changes"} on version ${basedOn}`;
}

export function Conflicts({ draft: { conflicts = [], changes } }: { readonly draft: Config }): ReactNode {
  if (conflicts.length === 0) return null;
  return (
    <>
      <strong>Changes that no longer apply</strong>
      <ul>
        {conflicts.map(({ index, message }) => (
          <li key={index}>
            <code>{changes[index]?.action}</code> {changes[index]?.id}: {message}
          </li>
        ))}
      </ul>
      <p>Another version was published meanwhile. Discard the draft, and make the other changes again.</p>
    </>
  );
}

/** Beside the title of every page of the rules. */
function Enforcing({ active }: { readonly active: Config | null | undefined }): ReactNode {
  return (
    active && (
      <PageBadges>
        <span className="badge good">
          <ShieldCheck className="i i-s" />
          Enforcing version {active.version}
        </span>
      </PageBadges>
    )
  );
}

interface Props {
  readonly configs: Configs;
  readonly why: string | null;
}

/** Of the tabs of the rules. */
function countsOf({ rules, ips, managedRules = {}, crs }: Config): TabCounts {
  const sets = [...Object.values(managedRules), ...Object.values(crs)];
  return { Rules: rules.length, Addresses: ips.length, "Managed sets": sets.filter((set) => set?.active).length };
}

export function DraftBar({ configs: { active, draft }, why }: Props): ReactNode {
  const shown = (draft ?? active)?.value;
  useTabCounts(shown ? countsOf(shown) : {});
  const { teamId, projectId } = useFirewallQuery();
  const [isDiscarding, setDiscarding] = useState(false);
  const enforcing = <Enforcing active={active?.value} />;
  if (!draft) return enforcing;
  return (
    <div className="notice draft">
      {enforcing}
      <Pencil className="i" />
      <div className="grow">
        <strong>{draftWords(draft.value)}</strong>, last changed by {draft.value.createdBy.name}. Nothing of it is
        enforced yet.
        <Conflicts draft={draft.value} />
      </div>
      <Button kind="plain" disabledBecause={why} onClick={() => setDiscarding(true)}>
        Discard draft
      </Button>
      <Link className="button plain" href={projectHref(ADDRESSES.firewallPublish, teamId, projectId)}>
        Review and publish
      </Link>
      {isDiscarding && <DiscardDraft etag={draft.etag} onClose={() => setDiscarding(false)} />}
    </div>
  );
}

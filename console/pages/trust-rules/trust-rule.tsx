// One trust rule: which tokens it accepts, what its keys may do, who answers for it, and what can be done with it.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Time } from "../../parts/time.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { ChangeTrustRule } from "./change-trust-rule.tsx";
import type { Claims, Trust } from "./claim-rows.ts";
import { IssuedKeys } from "./issued-keys.tsx";
import { JobDialog } from "./job-dialog.tsx";

const T = TEXTS.trustRules;

interface DialogProps {
  readonly trust: Trust;
  readonly onClose: () => void;
}

function DeleteRule({ trust: { id, name }, onClose }: DialogProps): ReactNode {
  const teamId = useTeamId();
  const remove = useChange("DELETE /v1/identity/trusts/:trustId", onClose);
  return (
    <Confirm
      title={fill(T.deleteTitle, { name })}
      what={T.deleteWhat}
      label={T.delete}
      change={remove}
      onConfirm={() => remove.mutate({ params: { trustId: id }, query: { teamId } })}
      onClose={onClose}
    />
  );
}

function AdoptRule({ trust: { id, name }, onClose }: DialogProps): ReactNode {
  const teamId = useTeamId();
  const adopt = useChange("PATCH /v1/identity/trusts/:trustId", onClose);
  return (
    <Confirm
      title={fill(T.adoptTitle, { name })}
      what={T.adoptWhat}
      label={T.adopt}
      change={adopt}
      onConfirm={() => adopt.mutate({ params: { trustId: id }, query: { teamId }, body: { adopt: true } })}
      onClose={onClose}
    />
  );
}

function ClaimList({ claims }: { readonly claims: Claims }): ReactNode {
  return (
    <ul className="plain-list">
      {Object.entries(claims).map(([claim, patterns]) => (
        <li key={claim}>
          <code>{claim}</code> <span className="quiet">{T.is}</span>{" "}
          {[patterns].flat().map((pattern, at) => (
            <span key={`${at}-${pattern}`}>
              {at > 0 && <span className="quiet"> {T.or} </span>}
              <code>{typeof pattern === "string" ? pattern : JSON.stringify(pattern)}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

interface Props {
  readonly trust: Trust;
  /** The name of whoever answers for it. */
  readonly responsible: string;
  readonly why: string | null;
}

export function TrustRule({ trust, responsible, why }: Props): ReactNode {
  const [open, setOpen] = useState<"job" | "change" | "adopt" | "delete" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <li>
      <h2>
        {trust.name} {trust.suspendedAt !== null && <span className="badge bad">{TEXTS.keys.suspended}</span>}
      </h2>
      {trust.suspendedAt !== null && <p className="quiet">{T.suspendedWhy}</p>}
      <dl>
        <dt>{T.issuer}</dt>
        <dd>
          <code>{trust.issuer}</code>
        </dd>
        <dt>{T.audience}</dt>
        <dd>
          <code>{trust.audience}</code>
        </dd>
        <dt>{T.claims}</dt>
        <dd>
          <ClaimList claims={trust.claims} />
        </dd>
        <dt>{T.keys}</dt>
        <dd>
          {trust.allows} {trust.singleUse && T.usedOnce}
        </dd>
        <dt>{T.responsible}</dt>
        <dd>{responsible}</dd>
        <dt>{TEXTS.keys.used}</dt>
        <dd>{trust.activeAt === null ? T.unused : <Time at={trust.activeAt} />}</dd>
        <dt>{T.created}</dt>
        <dd>
          <Time at={trust.createdAt} />
        </dd>
      </dl>
      <IssuedKeys trustId={trust.id} why={why} />
      <div className="tools">
        <Button kind="plain" aria-label={fill(T.showJobOf, { name: trust.name })} onClick={() => setOpen("job")}>
          {T.showJob}
        </Button>
        <Button
          kind="plain"
          aria-label={fill(T.changeOne, { name: trust.name })}
          disabledBecause={why}
          onClick={() => setOpen("change")}
        >
          {T.change}
        </Button>
        {trust.suspendedAt !== null && (
          <Button
            kind="plain"
            aria-label={fill(T.adoptOne, { name: trust.name })}
            disabledBecause={why}
            onClick={() => setOpen("adopt")}
          >
            {T.adopt}
          </Button>
        )}
        <Button
          kind="danger"
          aria-label={fill(T.deleteOne, { name: trust.name })}
          disabledBecause={why}
          onClick={() => setOpen("delete")}
        >
          {T.delete}
        </Button>
      </div>
      {open === "job" && <JobDialog trust={trust} onClose={close} />}
      {open === "change" && <ChangeTrustRule trust={trust} onClose={close} />}
      {open === "adopt" && <AdoptRule trust={trust} onClose={close} />}
      {open === "delete" && <DeleteRule trust={trust} onClose={close} />}
    </li>
  );
}

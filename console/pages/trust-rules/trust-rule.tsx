// One trust rule: which tokens it accepts, what its keys may do, who answers for it, and what can be done with it.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Time } from "../../parts/time.tsx";
import { ChangeTrustRule } from "./change-trust-rule.tsx";
import type { Claims, TrustRule } from "./claim-rows.ts";
import { IssuedKeys } from "./issued-keys.tsx";
import { JobDialog } from "./job-dialog.tsx";

interface DialogProps {
  readonly trust: TrustRule;
  readonly onClose: () => void;
}

function DeleteRule({ trust: { id, name }, onClose }: DialogProps): ReactNode {
  const teamId = useTeamId();
  const remove = useChange("DELETE /v1/identity/trusts/:trustId", onClose);
  return (
    <Confirm
      title={`Delete the trust rule ${name}?`}
      what="Its tokens are no longer exchanged, and the next request with a key that it issued is refused."
      label="Delete"
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
      title={`Take over the trust rule ${name}?`}
      what="You answer for it from now on, and it exchanges tokens again. The keys that it issued before are refused for good."
      label="Take over"
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
          <code>{claim}</code> <span className="quiet">is</span>{" "}
          {[patterns].flat().map((pattern, at) => (
            <span key={`${at}-${pattern}`}>
              {at > 0 && <span className="quiet"> or </span>}
              <code>{typeof pattern === "string" ? pattern : JSON.stringify(pattern)}</code>
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

interface Props {
  readonly trust: TrustRule;
  /** The name of whoever answers for it. */
  readonly responsible: string;
  readonly why: string | null;
}

export function TrustRuleItem({ trust, responsible, why }: Props): ReactNode {
  const [open, setOpen] = useState<"job" | "change" | "adopt" | "delete" | null>(null);
  const close = (): void => setOpen(null);
  return (
    <li>
      <h2>
        {trust.name} {trust.suspendedAt !== null && <span className="badge bad">suspended</span>}
      </h2>
      {trust.suspendedAt !== null && (
        <p className="quiet">
          Whoever answered for it may no longer do what its keys may, so it exchanges no token and its keys are refused.
          Whoever takes it over answers for it.
        </p>
      )}
      <dl>
        <dt>Issuer</dt>
        <dd>
          <code>{trust.issuer}</code>
        </dd>
        <dt>Audience</dt>
        <dd>
          <code>{trust.audience}</code>
        </dd>
        <dt>What has to fit</dt>
        <dd>
          <ClaimList claims={trust.claims} />
        </dd>
        <dt>Its keys</dt>
        <dd>
          {trust.allows} {trust.singleUse && "Each token is exchanged once."}
        </dd>
        <dt>Responsible</dt>
        <dd>{responsible}</dd>
        <dt>Last used</dt>
        <dd>{trust.activeAt === null ? "not yet" : <Time at={trust.activeAt} />}</dd>
        <dt>Created</dt>
        <dd>
          <Time at={trust.createdAt} />
        </dd>
      </dl>
      <IssuedKeys trustId={trust.id} why={why} />
      <div className="tools">
        <Button kind="plain" aria-label={`Show job for ${trust.name}`} onClick={() => setOpen("job")}>
          Show job
        </Button>
        <Button
          kind="plain"
          aria-label={`Change ${trust.name}`}
          disabledBecause={why}
          onClick={() => setOpen("change")}
        >
          Change
        </Button>
        {trust.suspendedAt !== null && (
          <Button
            kind="plain"
            aria-label={`Take over ${trust.name}`}
            disabledBecause={why}
            onClick={() => setOpen("adopt")}
          >
            Take over
          </Button>
        )}
        <Button
          kind="danger"
          aria-label={`Delete ${trust.name}`}
          disabledBecause={why}
          onClick={() => setOpen("delete")}
        >
          Delete
        </Button>
      </div>
      {open === "job" && <JobDialog trust={trust} onClose={close} />}
      {open === "change" && <ChangeTrustRule trust={trust} onClose={close} />}
      {open === "adopt" && <AdoptRule trust={trust} onClose={close} />}
      {open === "delete" && <DeleteRule trust={trust} onClose={close} />}
    </li>
  );
}

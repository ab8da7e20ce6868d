// One trust rule: which tokens it accepts, what its keys may do, who is responsible for it, and the keys that work now.
import { CircleAlert } from "lucide-react";
import { Fragment } from "react";
import type { ReactNode } from "react";
import { useParams } from "wouter";
import { usePeople } from "../../api/people.ts";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Avatar } from "../../parts/avatar.tsx";
import { Button } from "../../parts/button.tsx";
import { Menu } from "../../parts/menu.tsx";
import type { MenuItem } from "../../parts/menu-entries.ts";
import { PageActions, PageBadges, usePageTitle } from "../../parts/page-title.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Time } from "../../parts/time.tsx";
import { platformOf } from "./presets.ts";
import { IssuedKeys } from "./issued-keys.tsx";
import { useRuleActions } from "./rule-actions.tsx";

function ActionButton({ action }: { readonly action: MenuItem }): ReactNode {
  const { label, icon: Icon, whyNot, onSelect } = action;
  return (
    <Button kind="plain" disabledBecause={whyNot ?? null} onClick={onSelect}>
      {Icon && <Icon className="i" />}
      {label}
    </Button>
  );
}

function Patterns({ patterns }: { readonly patterns: unknown }): ReactNode {
  return [patterns].flat().map((pattern, at) => (
    <span key={`${at}-${String(pattern)}`}>
      {at > 0 && <span className="quiet"> or </span>}
      <code>{typeof pattern === "string" ? pattern : JSON.stringify(pattern)}</code>
    </span>
  ));
}

function Responsible({ name }: { readonly name: string }): ReactNode {
  return (
    <span className="choice">
      <Avatar name={name} /> <span>{name}</span>
    </span>
  );
}

export function TrustRulePage(): ReactNode {
  const teamId = useTeamId();
  const { trust: trustId } = useParams<{ readonly trust: string }>();
  const found = useApi("GET /v1/identity/trusts/:trustId", { params: { trustId }, query: { teamId } });
  const actions = useRuleActions();
  const rule = found.data?.value.trust;
  const people = usePeople(rule?.responsibleId ? [rule.responsibleId] : []);
  usePageTitle(rule?.name);
  const problem = found.error && <Problem error={found.error} retry={() => void found.refetch()} />;
  if (!rule) return problem ?? <Skeleton />;
  const { job, change, adopt, remove } = actions.of(rule);
  return (
    <>
      {problem}
      <PageBadges>
        <span className="badge">{platformOf(rule)}</span>
      </PageBadges>
      <PageActions>
        <ActionButton action={job} />
        <ActionButton action={change} />
        <Menu label={`Actions for ${rule.name}`} entries={[remove]} />
      </PageActions>
      {rule.suspendedAt !== null && (
        <div className="notice bad">
          <CircleAlert className="i" />
          <p className="grow">
            <strong>Suspended.</strong> Its responsible person may no longer do what its keys may: it exchanges no
            token, and its keys are refused.
          </p>
          <ActionButton action={adopt} />
        </div>
      )}
      <div className="beside">
        <div>
          <section className="panel">
            <h2>Which tokens</h2>
            <dl>
              <dt>Issuer</dt>
              <dd>
                <code>{rule.issuer}</code>
              </dd>
              <dt>Audience</dt>
              <dd>
                <code>{rule.audience}</code>
              </dd>
              {Object.entries(rule.claims).map(([claim, patterns]) => (
                <Fragment key={claim}>
                  <dt>
                    <code>{claim}</code>
                  </dt>
                  <dd>
                    <Patterns patterns={patterns} />
                  </dd>
                </Fragment>
              ))}
            </dl>
          </section>
          <section className="panel">
            <h2>What its keys may do</h2>
            <p>
              {rule.allows} {rule.singleUse && "Each token is exchanged once."}
            </p>
          </section>
        </div>
        <aside aria-label="Use">
          <section className="panel">
            <h2>Use</h2>
            <dl>
              <dt>Last used</dt>
              <dd>{rule.activeAt === null ? "Never" : <Time at={rule.activeAt} />}</dd>
              <dt>Responsible</dt>
              <dd>
                {rule.responsibleId === null ? (
                  "Nobody"
                ) : (
                  <Responsible name={people[rule.responsibleId] ?? rule.responsibleId} />
                )}
              </dd>
              <dt>Created</dt>
              <dd>
                <Time at={rule.createdAt} />
              </dd>
            </dl>
          </section>
          <IssuedKeys trustId={rule.id} whyNot={remove.whyNot ?? null} />
        </aside>
      </div>
      {actions.dialog}
    </>
  );
}

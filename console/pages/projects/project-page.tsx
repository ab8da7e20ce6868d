// One project: its environments, its firewall, and what its gates decided last.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Output } from "../../api/endpoints.ts";
import { useApi } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { PageActions, PageBadges, usePageTitle } from "../../parts/page-title.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, usePageHref, useProject } from "../../parts/project.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { routeOf } from "../../routes.ts";
import { useEnvironmentHref, useEnvironmentList } from "../environments/project-environments.ts";
import { decisionHref } from "../firewall/decisions/decision-href.ts";
import { DecisionBadge } from "../firewall/action-badge.tsx";
import { CauseText } from "../firewall/try/decision.tsx";
import { ConnectGate } from "./connect-gate.tsx";
import { AttackModeText, EnforcedBadge } from "./projects-page.tsx";

type Project = Output<"GET /v9/projects/:idOrName">;

const RECENT = 5;

function Environments(): ReactNode {
  const list = useEnvironmentList();
  const hrefOf = useEnvironmentHref();
  const pageHref = usePageHref();
  const environments = list.data?.value.environments ?? [];
  return (
    <section className="panel">
      <header>
        <h2>Environments</h2>
        <Link href={pageHref(routeOf("environments"))}>Compare</Link>
      </header>
      {list.isPending && <Skeleton rows={3} />}
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      <ul className="rows">
        {environments.map(({ name, entryCount, version, inheritsFrom, updatedAt }) => (
          <li key={name}>
            <span className="grow">
              <Link className="thing" href={hrefOf(name)}>
                {name}
              </Link>
              <span className="small">
                {entryCount} {entryCount === 1 ? "entry" : "entries"}
                {version > 0 && `, version ${version}`}
                {inheritsFrom !== null && `, from ${inheritsFrom}`}
              </span>
            </span>
            {updatedAt !== null && <Time at={updatedAt} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function enforcedOf({ firewallConfigVersion: version, firewallEnabled }: Project["security"]): string {
  if (version === undefined) return "Nothing yet";
  return firewallEnabled ? `Version ${version}` : `Version ${version} is off`;
}

function Firewall({ project: { name, security } }: { readonly project: Project }): ReactNode {
  const teamId = useTeamId();
  const href = (path: string) => projectHref(path, teamId, name);
  const params = { configVersion: "active" };
  const config = useApi(
    "GET /v1/firewalls/:configVersion",
    { params, query: { teamId, projectId: name } },
    { enabled: security.firewallConfigVersion !== undefined },
  ).data?.value;
  const { firewallUpdatedAt, firewallDraftUpdatedAt } = security;
  return (
    <section className="panel">
      <header>
        <h2>Firewall</h2>
        <Link href={href(ADDRESSES.firewall)}>Rules</Link>
      </header>
      <dl>
        <dt>Enforced</dt>
        <dd>
          <Link href={href(ADDRESSES.firewallVersions)}>{enforcedOf(security)}</Link>
          {firewallUpdatedAt !== undefined && (
            <>
              , since <Time at={firewallUpdatedAt} />
            </>
          )}
        </dd>
        {config && (
          <>
            <dt>Rules</dt>
            <dd>
              <Link href={href(ADDRESSES.firewall)}>{config.rules.length}</Link>, and{" "}
              <Link href={href(ADDRESSES.firewallAddresses)}>
                {config.ips.length} {config.ips.length === 1 ? "address" : "addresses"}
              </Link>
            </dd>
          </>
        )}
        <dt>Draft</dt>
        <dd>
          {firewallDraftUpdatedAt === undefined ? (
            "None"
          ) : (
            <>
              <Link href={href(ADDRESSES.firewallPublish)}>Review changes</Link>, changed{" "}
              <Time at={firewallDraftUpdatedAt} />
            </>
          )}
        </dd>
        <dt>Attack mode</dt>
        <dd>
          <Link href={href(ADDRESSES.firewallAttackMode)}>
            <AttackModeText security={security} />
          </Link>
        </dd>
      </dl>
    </section>
  );
}

function Decisions({ project }: { readonly project: string }): ReactNode {
  const teamId = useTeamId();
  const list = useApi("GET /v1/gate/decisions", { query: { teamId, projectId: project, limit: RECENT } });
  const decisions = list.data?.value.decisions ?? [];
  return (
    <section className="panel">
      <header>
        <h2>Recent decisions</h2>
        <Link href={projectHref(ADDRESSES.firewallTraffic, teamId, project)}>Traffic</Link>
        <Link href={projectHref(ADDRESSES.firewallDecisions, teamId, project)}>All decisions</Link>
      </header>
      {list.isPending && <Skeleton rows={3} />}
      {list.error && <Problem error={list.error} retry={() => void list.refetch()} />}
      {list.data && decisions.length === 0 && (
        <p className="quiet">No gate has reported a decision. Connect a gate in front of the application.</p>
      )}
      <ul className="rows">
        {decisions.map((decision) => (
          <li key={decision.id}>
            <DecisionBadge decision={decision} />
            <span className="grow cut">
              <Link href={decisionHref(teamId, project, decision.id)}>
                <code>
                  {decision.method} {decision.host}
                  {decision.target}
                </code>
              </Link>{" "}
              <span className="quiet">
                {decision.ip} {decision.by !== null && <CauseText cause={decision.by} />}
              </span>
            </span>
            <Time at={decision.at} />
          </li>
        ))}
      </ul>
    </section>
  );
}

export function ProjectPage(): ReactNode {
  const teamId = useTeamId();
  const [name] = useProject();
  const [isConnecting, setConnecting] = useState(false);
  const why = useWhyNot("api-key:manage");
  const mayEnvironments = useMay("environment:read") === true;
  const project = useApi("GET /v9/projects/:idOrName", { params: { idOrName: name }, query: { teamId } });
  usePageTitle(name);
  if (!project.data) {
    return project.error ? <Problem error={project.error} retry={() => void project.refetch()} /> : <Skeleton />;
  }
  return (
    <>
      <PageBadges>
        <EnforcedBadge security={project.data.value.security} />
      </PageBadges>
      <PageActions>
        <Button kind="plain" disabledBecause={why} onClick={() => setConnecting(true)}>
          <Plus className="i" />
          Connect gate
        </Button>
      </PageActions>
      <div className="halves">
        {mayEnvironments && <Environments />}
        <Firewall project={project.data.value} />
      </div>
      <Decisions project={name} />
      {isConnecting && <ConnectGate project={name} onClose={() => setConnecting(false)} />}
    </>
  );
}

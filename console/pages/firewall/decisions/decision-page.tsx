// One decision of a gate: what happened to the request, which rule decided, and why.
import { FlaskConical } from "lucide-react";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { isRefusal } from "../../../api/call.ts";
import type { Output } from "../../../api/endpoints.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { PageActions, PageBadges, usePageTitle } from "../../../parts/page-title.tsx";
import { Id } from "../../../parts/copy.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Time } from "../../../parts/time.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { formatCount } from "../../../parts/numbers.ts";
import { Because, CauseText, isOfEngine } from "../try/decision.tsx";
import { DecisionBadge } from "../action-badge.tsx";
import { DIMENSIONS, countOf, useTraffic } from "../traffic/traffic-query.ts";
import { policyText } from "./policy-text.ts";
import { Steps } from "../try/steps.tsx";

type Found = Output<"GET /v1/gate/decisions/:decisionId">["decision"];

/** What decided, in words; a request that was only logged, or that a policy decided, has nothing that did. */
function Why({ decision: { by, reason, detail, wouldBe, logged } }: { readonly decision: Found }): ReactNode {
  return (
    <>
      {wouldBe !== null && <p>It would have been {DECISION_NAMES[wouldBe]}.</p>}
      {reason !== null && <p>{policyText(reason)}</p>}
      {detail !== undefined && <p>What was found: {detail}.</p>}
      {(by !== null || (reason === null && logged.length === 0)) && <Because by={by} />}
    </>
  );
}

function Fact({ name, children }: { readonly name: ReactNode; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

/** The request in one line, under its title. */
function Lead({ decision }: { readonly decision: Found }): ReactNode {
  const { id, at, scheme, host, target } = decision;
  return (
    <>
      <PageBadges>
        <DecisionBadge decision={decision} />
      </PageBadges>
      <p className="lead parted">
        <code>
          {scheme}://{host}
          {target}
        </code>
        <Time at={at} />
        <Id of={id} />
      </p>
    </>
  );
}

function Client({ decision }: { readonly decision: Found }): ReactNode {
  const { projectId, version, ip, userAgent, logged } = decision;
  return (
    <section className="panel">
      <h2>Client</h2>
      <dl>
        <Fact name="Address">{ip === null ? "not recorded" : <code>{ip}</code>}</Fact>
        {userAgent !== null && <Fact name="User agent">{userAgent}</Fact>}
        <Fact name="Project">{projectId}</Fact>
        <Fact name="Version">{version ?? "none was active"}</Fact>
        {logged.length > 0 && (
          <Fact name="Logged by">
            {logged.map((cause, index) => (
              <div key={index}>
                <CauseText cause={cause} />
              </div>
            ))}
          </Fact>
        )}
      </dl>
    </section>
  );
}

const CLIENT_VIEW = { range: "day", by: "action" } as const;

/** What else was done with requests of this client. */
function SameClient({ ip, projectId }: { readonly ip: string; readonly projectId: string }): ReactNode {
  const teamId = useTeamId();
  const { found } = useTraffic({ ...CLIENT_VIEW, filters: { action: null, rule: null, host: null, client: ip } });
  const hrefOf = (more: Readonly<Record<string, string>>): string =>
    projectHref(ADDRESSES.firewallTraffic, teamId, projectId, { client: ip, ...more });
  const counts = (found.data?.value.summary ?? []).flatMap(({ dimensions, values }) => {
    const action = dimensions[DIMENSIONS.action] ?? "";
    return Object.hasOwn(DECISION_NAMES, action)
      ? [{ action: action as keyof typeof DECISION_NAMES, count: countOf(values) }]
      : [];
  });
  return (
    <section className="panel">
      <h2>Same client, 24 hours</h2>
      <ul className="counts">
        {counts.map(({ action, count }) => (
          <li key={action}>
            <DecisionBadge decision={{ action }} />
            <Link href={hrefOf({ action })}>{formatCount(count)}</Link>
          </li>
        ))}
      </ul>
      {found.data && counts.length === 0 && <p className="quiet">No other request was reported.</p>}
      <footer>
        <Link href={hrefOf({ by: "rule" })}>Show in traffic</Link>
      </footer>
    </section>
  );
}

function Headers({ headers }: Pick<Found, "headers">): ReactNode {
  return (
    <section className="panel">
      <h2>
        Request headers{" "}
        <span className="small">
          {headers.length === 0 ? "no other headers" : "values that look like credentials are left out"}
        </span>
      </h2>
      {headers.length > 0 && (
        <dl>
          {headers.map(({ name, value }, index) => (
            <Fact key={index} name={<code>{name}</code>}>
              <code>{value}</code>
            </Fact>
          ))}
        </dl>
      )}
    </section>
  );
}

/** The page that tries requests, filled in with this one. */
function tryHref(teamId: string, { projectId, method, scheme, host, target, ip }: Found): string {
  const filled = { method, url: `${scheme}://${host}${target}`, ...(ip !== null && { ip }) };
  return projectHref(ADDRESSES.firewallTry, teamId, projectId, filled);
}

function Shown({ decision }: { readonly decision: Found }): ReactNode {
  const teamId = useTeamId();
  const { by, reason, logged, headers, steps, omittedSteps, ip, projectId } = decision;
  const isByPolicy = by === null && reason !== null;
  // Trying a request evaluates the rules of the gate alone.
  const isTriable = ![...logged, ...(by === null ? [] : [by])].some(isOfEngine);
  return (
    <>
      {isTriable && (
        <PageActions>
          <Link className="button plain" href={tryHref(teamId, decision)}>
            <FlaskConical className="i" />
            Test this request
          </Link>
        </PageActions>
      )}
      <Lead decision={decision} />
      <div className="beside">
        <div>
          <Steps
            steps={steps}
            decision={decision}
            about={decision.version === null ? undefined : `version ${decision.version}`}
            why={<Why decision={decision} />}
          >
            {steps === null && !isByPolicy && (
              <p className="hint">The gate did not record the steps of this decision: it takes little time for that.</p>
            )}
            {omittedSteps > 0 && (
              <p className="hint">{omittedSteps} further steps, which decided nothing, are left out.</p>
            )}
          </Steps>
          <Headers headers={headers} />
        </div>
        <aside aria-label="About the client">
          <Client decision={decision} />
          {ip !== null && <SameClient ip={ip} projectId={projectId} />}
        </aside>
      </div>
    </>
  );
}

export function DecisionPage(): ReactNode {
  const { decision: decisionId } = useParams<{ readonly decision: string }>();
  const teamId = useTeamId();
  const found = useApi("GET /v1/gate/decisions/:decisionId", { params: { decisionId }, query: { teamId } });
  const [project, setProject] = useProject();
  const decision = found.data?.value.decision;
  usePageTitle(decision && `${decision.method} ${decision.target.split("?", 1)[0]}`, true);
  const own = decision?.projectId ?? project;
  // An id is looked up whatever project is chosen.
  useEffect(() => {
    if (own !== project) setProject(own);
  }, [own, project, setProject]);
  const isMissing = isRefusal(found.error) && [400, 404].includes(found.error.status);
  return (
    <>
      {isMissing && (
        <Empty
          title="There is no such decision"
          hint="Gates report samples every ten seconds, not every decision of a flood, and none of requests that were let through. Decisions are kept for seven days. The header X-Reeve-Decision names the rule in any case, but for what ModSecurity denied."
        />
      )}
      {found.error && !isMissing && <Problem error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Skeleton />}
      {decision && <Shown decision={decision} />}
    </>
  );
}

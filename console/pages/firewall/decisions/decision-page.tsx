// One decision of a gate: what happened to the request, which rule decided, and why.
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Link, useParams } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import { isRefusal } from "../../../api/call.ts";
import type { Output } from "../../../api/endpoints.ts";
import { useApi } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { CopyButton } from "../../../parts/copy.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { usePageTitle } from "../../../parts/page-title.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Table } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { projectHref, useProject } from "../../../parts/project.tsx";
import { ActionBadge, Because, CauseText, isOfEngine } from "../try/decision.tsx";
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

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Facts({ decision }: { readonly decision: Found }): ReactNode {
  const { id, at, projectId, version, method, scheme, host, target, ip, userAgent, logged } = decision;
  return (
    <dl>
      <Fact name="Id">
        <code>{id}</code> <CopyButton text={id} />
      </Fact>
      <Fact name="Request">
        <code>
          {method} {scheme}://{host}
          {target}
        </code>
      </Fact>
      <Fact name="Client">{ip === null ? "not recorded" : <code>{ip}</code>}</Fact>
      {userAgent !== null && <Fact name="User agent">{userAgent}</Fact>}
      {logged.length > 0 && (
        <Fact name="Logged before by">
          {logged.map((cause, index) => (
            <div key={index}>
              <CauseText cause={cause} />
            </div>
          ))}
        </Fact>
      )}
      <Fact name="Version">{version ?? "none was active"}</Fact>
      <Fact name="Project">{projectId}</Fact>
      <Fact name="When">
        <Time at={at} />
      </Fact>
    </dl>
  );
}

function Headers({ headers }: Pick<Found, "headers">): ReactNode {
  return (
    <details className="more">
      <summary>Headers</summary>
      <p className="hint">
        {headers.length === 0
          ? "No other headers."
          : "Values that look like credentials were left out by the gate. A long value is cut."}
      </p>
      {headers.length > 0 && (
        <Table columns={["Name", "Value"]}>
          {headers.map(({ name, value }, index) => (
            <tr key={index}>
              <th scope="row">
                <code>{name}</code>
              </th>
              <td>
                <code>{value}</code>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </details>
  );
}

/** The page that tries requests, filled in with this one. */
function tryHref(teamId: string, { projectId, method, scheme, host, target, ip }: Found): string {
  const filled = new URLSearchParams({ method, url: `${scheme}://${host}${target}`, ...(ip !== null && { ip }) });
  const href = projectHref(ADDRESSES.firewallTry, teamId, projectId);
  return `${href}${href.includes("?") ? "&" : "?"}${filled.toString()}`;
}

function Shown({ decision }: { readonly decision: Found }): ReactNode {
  const teamId = useTeamId();
  const { by, reason, logged, headers, steps, omittedSteps } = decision;
  const isByPolicy = by === null && reason !== null;
  // Trying a request evaluates the rules of the gate alone.
  const isTriable = ![...logged, ...(by === null ? [] : [by])].some(isOfEngine);
  return (
    <>
      <section className="panel">
        <p>
          <ActionBadge decision={decision} />
        </p>
        <Why decision={decision} />
        <Facts decision={decision} />
        <Headers headers={headers} />
        {isTriable && (
          <p>
            <Link href={tryHref(teamId, decision)}>Try a request like this one</Link>
          </p>
        )}
      </section>
      {steps === null && !isByPolicy && (
        <p className="hint">The gate did not record the steps of this decision: it takes little time for that.</p>
      )}
      {steps !== null && <Steps steps={steps} decision={decision} />}
      {omittedSteps > 0 && <p className="hint">{omittedSteps} further steps, which decided nothing, are left out.</p>}
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

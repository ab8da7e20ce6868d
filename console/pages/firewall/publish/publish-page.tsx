// What the draft changes, and the button that makes it the active version.
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import type { Fetched } from "../../../api/call.ts";
import { useApi, useChange } from "../../../api/queries.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../../parts/form.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { Differences } from "../difference.tsx";
import { DraftBar } from "../draft-bar.tsx";
import { useConfigs, useFirewallQuery } from "../firewall-config.ts";
import type { Config } from "../config-types.ts";
import { projectHref } from "../../../parts/project.tsx";

interface Props {
  readonly draft: Fetched<Config>;
  readonly why: string | null;
}

/** What is published is what is shown: a draft that was changed meanwhile is refused. */
function Publish({ draft: { value, etag }, why }: Props): ReactNode {
  const query = useFirewallQuery();
  const [, navigate] = useLocation();
  const publish = useChange("POST /v1/firewalls/:configVersion/activate", () =>
    navigate(projectHref(ADDRESSES.firewallVersions, query.teamId, query.projectId)),
  );
  const other = otherProblem(publish.error, ["note"]);
  const conflict = (value.conflicts?.length ?? 0) > 0 ? "The draft has changes that no longer apply" : null;
  const submit = onSubmit((field) =>
    publish.mutate({
      params: { configVersion: "draft" },
      query,
      body: { expectedVersion: value.basedOn ?? 0, ...(field("note") !== "" && { note: field("note") }) },
      ...(etag === null ? {} : { ifMatch: etag }),
    }),
  );
  return (
    <form className="panel" onSubmit={submit}>
      <h2>Publish version {value.version}</h2>
      <Field label="Note" hint="Why. Shown in versions and events." problem={problemWith(publish.error, "note")}>
        {(control) => <input {...control} name="note" autoComplete="off" maxLength={500} />}
      </Field>
      {other && <Problem error={other} />}
      <footer>
        <Button type="submit" disabledBecause={why ?? conflict} busy={publish.isPending}>
          Publish version {value.version}
        </Button>
      </footer>
      <p className="hint">If the draft changes before you publish, nothing is published and you see the new changes.</p>
    </form>
  );
}

function Review({ draft, why }: Props): ReactNode {
  const query = useFirewallQuery();
  const diff = useApi("GET /v1/firewalls/:configVersion/diff/:otherVersion", {
    params: { configVersion: draft.value.basedOn === null ? "previous" : "active", otherVersion: "draft" },
    query,
  });
  const problem = diff.error && <Problem error={diff.error} retry={() => void diff.refetch()} />;
  if (!diff.data) return problem ?? <Skeleton rows={3} />;
  return (
    <>
      {problem}
      <div className="beside">
        <div>
          <Differences differences={diff.data.value.differences} />
          <p>
            <Link
              href={projectHref(ADDRESSES.firewallTry, query.teamId, query.projectId, {
                config: "draft",
                compare: "active",
              })}
            >
              Test a request on the draft, compared with what is enforced
            </Link>
          </p>
        </div>
        <Publish draft={draft} why={why} />
      </div>
    </>
  );
}

export function PublishPage(): ReactNode {
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  return (
    <>
      {!configs.data && <Skeleton />}
      {configs.data && <DraftBar configs={configs.data} why={why} isReview />}
      {configs.data?.draft && <Review draft={configs.data.draft} why={why} />}
      {configs.data && !configs.data.draft && (
        <Empty
          title="There is no draft"
          hint="What you change on the pages of the firewall is kept in a draft, and published here."
        />
      )}
    </>
  );
}

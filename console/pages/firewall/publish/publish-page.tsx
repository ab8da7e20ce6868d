// What the draft changes, and the button that makes it the active version.
import { FlaskConical, TriangleAlert } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { ADDRESSES } from "../../../addresses.ts";
import type { Fetched } from "../../../api/call.ts";
import { useApi, useChange } from "../../../api/queries.ts";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, otherProblem, problemWith } from "../../../parts/form.tsx";
import { PageActions } from "../../../parts/page-title.tsx";
import { Empty, Skeleton } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";
import { Time } from "../../../parts/time.tsx";
import { useWhyNot } from "../../../parts/why-not.ts";
import { Differences } from "../difference.tsx";
import { Conflicts, DiscardDraft, draftWords } from "../draft-bar.tsx";
import { useConfigs, useFirewallQuery } from "../firewall-config.ts";
import type { Config } from "../config-types.ts";
import { lintRules } from "../rules/rule-lint.ts";
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
  const doubtful = [...lintRules(value.rules, value.conditions ?? []).values()].filter(
    (doubts) => doubts.length > 0,
  ).length;
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
    <form className="panel publish" onSubmit={submit}>
      <h2>Publish version {value.version}</h2>
      <Field label="Note" hint="Why. Shown in versions and events." problem={problemWith(publish.error, "note")}>
        {(control) => <input {...control} name="note" autoComplete="off" maxLength={500} />}
      </Field>
      {other && <Problem error={other} />}
      {doubtful > 0 && (
        <p className="doubt">
          <TriangleAlert className="i i-s" />
          {doubtful === 1 ? "1 rule" : `${doubtful} rules`} may not do what is meant.
        </p>
      )}
      <Button type="submit" disabledBecause={why ?? conflict} busy={publish.isPending}>
        Publish version {value.version}
      </Button>
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
          <Conflicts draft={draft.value} />
          <Differences title="Changes" differences={diff.data.value.differences} />
        </div>
        <Publish draft={draft} why={why} />
      </div>
    </>
  );
}

/** What the draft is, and what else can be done with it. */
function Heading({ draft: { value, etag }, why }: Props): ReactNode {
  const { teamId, projectId } = useFirewallQuery();
  const [isDiscarding, setDiscarding] = useState(false);
  const filled = { config: "draft", compare: "active" };
  return (
    <>
      <PageActions>
        <Link className="button plain" href={projectHref(ADDRESSES.firewallTry, teamId, projectId, filled)}>
          <FlaskConical className="i" />
          Test a request
        </Link>
        <Button kind="danger" disabledBecause={why} onClick={() => setDiscarding(true)}>
          Discard draft…
        </Button>
      </PageActions>
      <p className="lead">
        {draftWords(value)}, by {value.createdBy.name}. Last change <Time at={Date.parse(value.updatedAt)} />.
      </p>
      {isDiscarding && <DiscardDraft etag={etag} onClose={() => setDiscarding(false)} />}
    </>
  );
}

export function PublishPage(): ReactNode {
  const configs = useConfigs();
  const why = useWhyNot("firewall:write");
  if (configs.error && !configs.data) return <Problem error={configs.error} retry={() => void configs.refetch()} />;
  if (!configs.data) return <Skeleton />;
  const { draft } = configs.data;
  if (!draft)
    return (
      <Empty
        title="There is no draft"
        hint="What you change on the pages of the firewall is kept in a draft, and published here."
      />
    );
  return (
    <>
      <Heading draft={draft} why={why} />
      <Review draft={draft} why={why} />
    </>
  );
}

// The trust rules of a team: which signed tokens of other issuers are exchanged for API keys of some minutes.
import { FlaskConical, Pause, Plus } from "lucide-react";
import { roleName } from "../../../src/platform/kernel/roles.ts";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApiPages } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { PageActions, PageCount } from "../../parts/page-title.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { RowName } from "../../parts/row-name.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateTrustRule } from "./create-trust-rule.tsx";
import type { TrustRule } from "./claim-rows.ts";
import { JobDialog } from "./job-dialog.tsx";
import { platformOf } from "./presets.ts";
import { useRuleActions } from "./rule-actions.tsx";
import { TryToken } from "./try-token.tsx";

/** A team has no more of them. */
const MOST = 50;
const DOCS = `${ADDRESSES.api}?tag=Workload%20identity`;

function columnsFor(teamId: string): readonly Column<TrustRule>[] {
  return [
    {
      title: "Rule",
      cell: ({ id, name, claims, suspendedAt }) => (
        <RowName below={<code>{[Object.values(claims)[0]].flat().map(String).join(" or ")}</code>}>
          <Link href={ADDRESSES.trustRule.replace(":team", teamId).replace(":trust", id)}>{name}</Link>
          {suspendedAt !== null && (
            <span className="badge bad">
              <Pause className="i i-s" />
              Suspended
            </span>
          )}
        </RowName>
      ),
    },
    { title: "Platform", cell: platformOf, leaves: "phone" },
    { title: "Role", cell: ({ role }) => roleName(role), leaves: "narrow" },
    {
      title: "Last used",
      cell: ({ activeAt }) => (activeAt === null ? <span className="quiet">Never</span> : <Time at={activeAt} />),
      leaves: "narrow",
    },
  ];
}

export function TrustRulesPage(): ReactNode {
  const teamId = useTeamId();
  const [open, setOpen] = useState<"create" | "try" | null>(null);
  const [made, setMade] = useState<TrustRule | null>(null);
  const close = (): void => setOpen(null);
  const why = useWhyNot("api-key:manage");
  const list = useApiPages("GET /v1/identity/trusts", { query: { teamId, limit: MOST } });
  const trusts = list.data?.pages.flatMap((page) => page.trusts) ?? [];
  const actions = useRuleActions();
  const create = (
    <Button disabledBecause={why} onClick={() => setOpen("create")}>
      <Plus className="i" />
      New trust rule
    </Button>
  );
  const empty = (
    <Empty
      title="The team has no trust rules yet"
      hint="A job in CI or a pod shows the signed token that its platform gives it, and gets an API key of 15 minutes for it. A trust rule says which tokens, and what the key may do, so that no key has to be stored there."
    >
      <p>
        <Link href={DOCS}>How tokens are exchanged</Link>
      </p>
      {create}
    </Empty>
  );
  return (
    <>
      {trusts.length > 0 && (
        <PageActions>
          <Button kind="plain" onClick={() => setOpen("try")}>
            <FlaskConical className="i" />
            Try a token
          </Button>
          {create}
        </PageActions>
      )}
      <PageCount list={list} count={trusts.length} />
      {trusts.length > 0 && (
        <p className="lead">
          A job shows the token of its platform and gets a key for 15 minutes. No key is stored with the job.
        </p>
      )}
      <DataTable
        label="Trust rules"
        list={list}
        rows={trusts}
        keyOf={({ id }) => id}
        nameOf={({ name }) => name}
        columns={columnsFor(teamId)}
        actions={(trust) => {
          const { job, change, adopt, remove } = actions.of(trust);
          return [job, change, ...(trust.suspendedAt === null ? [] : [adopt]), "line", remove];
        }}
        empty={empty}
      />
      {actions.dialog}
      {open === "create" && (
        <CreateTrustRule
          onClose={close}
          onMade={(trust) => {
            close();
            setMade(trust);
          }}
        />
      )}
      {made && <JobDialog trust={made} onClose={() => setMade(null)} />}
      {open === "try" && <TryToken onClose={close} />}
    </>
  );
}

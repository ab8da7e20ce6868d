// The trust rules of a team: which signed tokens of other issuers are exchanged for API keys of some minutes.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useApi, useApiPages } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/placeholder.tsx";
import { useWhyNot } from "../../parts/why-not.ts";
import { CreateTrustRule } from "./create-trust-rule.tsx";
import type { TrustRule } from "./claim-rows.ts";
import { JobDialog } from "./job-dialog.tsx";
import { TrustRuleItem } from "./trust-rule.tsx";
import { TryToken } from "./try-token.tsx";
import "../../style/trust-rules.css";
import { PageActions } from "../../parts/page-title.tsx";

/** A team has no more of them. */
const MOST = 50;
const DOCS = `${ADDRESSES.api}?tag=Workload%20identity`;

/** Names of users by their ids. Whoever is no member, such as an administrator, has none here. */
function useNames(ids: readonly string[]): (id: string) => string {
  const params = { teamId: useTeamId() };
  const query = { filterByUserIds: [...new Set(ids)].toSorted(), limit: MOST };
  const found = useApi("GET /v2/teams/:teamId/members", { params, query }, { enabled: ids.length > 0 });
  const names = new Map(found.data?.value.members.map(({ uid, name, username }) => [uid, name ?? username]));
  return (id) => names.get(id) ?? id;
}

export function TrustRulesPage(): ReactNode {
  const teamId = useTeamId();
  const [open, setOpen] = useState<"create" | "try" | null>(null);
  const [made, setMade] = useState<TrustRule | null>(null);
  const close = (): void => setOpen(null);
  const why = useWhyNot("api-key:manage");
  const list = useApiPages("GET /v1/identity/trusts", { query: { teamId, limit: MOST } });
  const trusts = list.data?.pages.flatMap((page) => page.trusts) ?? [];
  const nameOf = useNames(trusts.flatMap(({ responsibleId }) => responsibleId ?? []));
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
            Try a token
          </Button>
          {create}
        </PageActions>
      )}
      <ApiList list={list} isEmpty={trusts.length === 0} empty={empty}>
        <ul className="cards trust-rules">
          {trusts.map((trust) => (
            <TrustRuleItem
              key={trust.id}
              trust={trust}
              responsible={trust.responsibleId === null ? "nobody" : nameOf(trust.responsibleId)}
              why={why}
            />
          ))}
        </ul>
      </ApiList>
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

// The bypass list of a project: clients that attack mode does not challenge.
import { useState } from "react";
import type { ReactNode } from "react";
import { useSearchParams } from "wouter";
import { useMay, useTeamId } from "../../../api/team.ts";
import { ApiList } from "../../../parts/api-list.tsx";
import { Button } from "../../../parts/button.tsx";
import { Field } from "../../../parts/field.tsx";
import { onSubmit, problemWith } from "../../../parts/form.tsx";
import { Empty } from "../../../parts/placeholder.tsx";
import { chosen } from "../../../parts/search-value.ts";
import { Table } from "../../../parts/table.tsx";
import { Time } from "../../../parts/time.tsx";
import { TEXTS } from "../../../texts.ts";
import { FirewallNav } from "../firewall-nav.tsx";
import { useProject } from "../../../parts/project.tsx";
import { AddBypass } from "./add-bypass.tsx";
import { RemoveBypass, clientOf } from "./remove-bypass.tsx";
import { useBypasses } from "./use-bypasses.ts";
import type { Bypass } from "./use-bypasses.ts";

const T = TEXTS.bypasses;
const FILTERS = ["address", "domain", "scope"] as const;

/** `2030-01-31 12:00:00`, in UTC, as ms. */
function timeOf(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

/** Incomplete addresses are refused, so the search begins when it is asked for. */
function Search({ error }: { readonly error: Error | null }): ReactNode {
  const [params, setParams] = useSearchParams();
  const submit = onSubmit((field) =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        for (const name of FILTERS) {
          if (field(name) === "") next.delete(name);
          else next.set(name, field(name));
        }
        return next;
      },
      { replace: true },
    ),
  );
  return (
    <search>
      <form className="filters" onSubmit={submit}>
        <Field label={T.addressSearch} problem={problemWith(error, "sourceIp") ?? problemWith(error, "query.sourceIp")}>
          {(control) => (
            <input
              {...control}
              name="address"
              type="search"
              maxLength={49}
              defaultValue={params.get("address") ?? ""}
            />
          )}
        </Field>
        <Field label={T.domainSearch} problem={problemWith(error, "domain")}>
          {(control) => <input {...control} name="domain" type="search" defaultValue={params.get("domain") ?? ""} />}
        </Field>
        <Field label={T.scope}>
          {(control) => (
            <select {...control} name="scope" defaultValue={params.get("scope") ?? ""}>
              <option value="">{T.scopes.all}</option>
              <option value="project">{T.scopes.project}</option>
              <option value="domain">{T.scopes.domain}</option>
            </select>
          )}
        </Field>
        <Button kind="plain" type="submit">
          {T.search}
        </Button>
      </form>
    </search>
  );
}

function BypassRow({ bypass, why }: { readonly bypass: Bypass; readonly why: string | null }): ReactNode {
  const [isRemoving, setRemoving] = useState(false);
  return (
    <tr>
      <th scope="row">
        <strong>{clientOf(bypass)}</strong>
        <span className="quiet">{bypass.Note}</span>
      </th>
      <td>{bypass.IsProjectRule ? T.wholeProject : <code>{bypass.Domain}</code>}</td>
      <td>
        <span className="quiet narrow">{T.ends}</span>{" "}
        {bypass.ExpiresAt === null ? T.never : <Time at={bypass.ExpiresAt * 1_000} />}
      </td>
      <td>
        <span className="quiet narrow">{T.changed}</span> <Time at={timeOf(bypass.UpdatedAt)} />
      </td>
      <td className="actions">
        <Button kind="danger" disabledBecause={why} onClick={() => setRemoving(true)}>
          {T.remove}
        </Button>
        {isRemoving && <RemoveBypass bypass={bypass} onClose={() => setRemoving(false)} />}
      </td>
    </tr>
  );
}

export function BypassesPage(): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [params] = useSearchParams();
  const [isAdding, setAdding] = useState(false);
  const why = useMay("firewall:write") === false ? T.mayNotWrite : null;
  const [sourceIp = "", domain = "", scope = ""] = FILTERS.map((name) => params.get(name) ?? "");
  const list = useBypasses({
    teamId,
    projectId,
    ...chosen({ sourceIp, domain }),
    ...(scope !== "" && { projectScope: scope === "project" }),
  });
  const entries = list.data?.pages.flatMap(({ result }) => result) ?? [];
  const isFiltered = sourceIp + domain + scope !== "";
  const add = (
    <Button disabledBecause={why} onClick={() => setAdding(true)}>
      {T.add}
    </Button>
  );
  const empty = isFiltered ? (
    <Empty title={T.noMatch} hint={T.noMatchHint} />
  ) : (
    <Empty title={T.empty} hint={T.emptyHint} />
  );
  return (
    <>
      <FirewallNav />
      <p>{T.about}</p>
      <Search key={params.toString()} error={list.error} />
      <div className="tools">{add}</div>
      <ApiList list={list} isEmpty={entries.length === 0} empty={empty}>
        <Table columns={[T.client, T.scope, T.ends, T.changed]} actions={TEXTS.list.actions}>
          {entries.map((bypass) => (
            <BypassRow key={bypass.Id} bypass={bypass} why={why} />
          ))}
        </Table>
      </ApiList>
      {isAdding && <AddBypass onClose={() => setAdding(false)} />}
    </>
  );
}

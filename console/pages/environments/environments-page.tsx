// The environments of a project side by side: a row for each key.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import { useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { ProjectPicker, projectHref, useProject } from "../../parts/project.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { TEXTS } from "../../texts.ts";
import { ChangeEntries } from "./change-entries.tsx";
import { EntryValue } from "./entry-value.tsx";
import { Readers } from "./readers.tsx";
import { entryOf, useEnvironments } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import "../../style/environments.css";

const T = TEXTS.environments;

function CreateEnvironment({ names, onClose }: { readonly names: readonly string[]; readonly onClose: () => void }) {
  const teamId = useTeamId();
  const [project] = useProject();
  const create = useChange("POST /v1/environments/:project", onClose);
  const submit = onSubmit((field) =>
    create.mutate({
      params: { project },
      query: { teamId },
      body: { name: field("name"), inheritsFrom: field("inheritsFrom") || null },
    }),
  );
  return (
    <Dialog title={T.create} onClose={onClose}>
      <form onSubmit={submit}>
        {create.error && <Problem error={create.error} />}
        <Field label={T.name} hint={T.nameHint}>
          {(control) => <input {...control} name="name" required autoComplete="off" spellCheck={false} />}
        </Field>
        <Field label={T.inheritsFrom}>
          {(control) => (
            <select {...control} name="inheritsFrom">
              <option value="">{T.fromNone}</option>
              {names.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <footer>
          <Button type="submit" busy={create.isPending}>
            {T.create}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function Grid({ environments, keys, chosen }: GridProps): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const isChosen = (name: string): string | undefined => (name === chosen ? undefined : "not-chosen");
  return (
    // Scrolled by keyboard too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="grid" aria-label={T.title} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{T.key}</th>
            {environments.map(({ name }) => (
              <th key={name} scope="col" className={isChosen(name)}>
                <Link href={projectHref(ADDRESSES.environment, teamId, project).replace(":environment", name)}>
                  {name}
                </Link>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key}>
              <th scope="row">
                <Link
                  aria-label={key}
                  href={projectHref(ADDRESSES.environmentKey, teamId, project).replace(":key", key)}
                >
                  <code>{key}</code>
                </Link>
              </th>
              {environments.map((one) => (
                <td key={one.name} className={isChosen(one.name)}>
                  <EntryValue entry={entryOf(one, key)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
interface GridProps {
  readonly environments: readonly Environment[];
  readonly keys: readonly string[];
  /** The one that narrow screens show. */
  readonly chosen: string;
}

export function EnvironmentsPage(): ReactNode {
  const { environments, error, retry } = useEnvironments();
  const teamId = useTeamId();
  const [project] = useProject();
  const [filter, setFilter] = useSearchValue("key");
  const [shown, setShown] = useSearchValue("environment");
  const [open, setOpen] = useState<"create" | "paste" | null>(null);
  const why = useMay("environment:write") === false ? T.mayNotWrite : null;
  if (!environments) return error ? <Problem error={error} retry={retry} /> : <Skeleton />;
  const all = [...new Set(environments.flatMap(({ entries }) => entries.map(({ key }) => key)))].toSorted();
  const keys = all.filter((key) => key.toLowerCase().includes(filter.toLowerCase()));
  const names = environments.map(({ name }) => name);
  const chosen = names.includes(shown) ? shown : (names[0] ?? "");
  return (
    <>
      <ProjectPicker />
      <p>{T.about}</p>
      {error && <Problem error={error} retry={retry} />}
      <search className="tools">
        <input
          type="search"
          aria-label={T.filter}
          placeholder={T.filter}
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <select
          className="narrow"
          aria-label={T.environment}
          value={chosen}
          onChange={({ target }) => setShown(target.value)}
        >
          {names.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </search>
      <div className="tools">
        <Button disabledBecause={why} onClick={() => setOpen("paste")}>
          {T.paste}
        </Button>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("create")}>
          {T.create}
        </Button>
        <Link
          className="button plain"
          href={projectHref(ADDRESSES.environment, teamId, project).replace(":environment", chosen)}
        >
          {T.openOne}
        </Link>
      </div>
      {all.length === 0 ? (
        <Empty title={T.empty} hint={T.emptyHint} />
      ) : (
        <Grid environments={environments} keys={keys} chosen={chosen} />
      )}
      <Readers />
      {open === "create" && <CreateEnvironment names={names} onClose={() => setOpen(null)} />}
      {open === "paste" && (
        <ChangeEntries environments={environments} first={chosen} of={null} onClose={() => setOpen(null)} />
      )}
    </>
  );
}

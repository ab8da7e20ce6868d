// The environments of a project: their entries side by side, and how they are changed.
import { Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Settled } from "../../parts/settled.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { CreateEnvironment } from "./create-environment.tsx";
import { Grid } from "./grid.tsx";
import { PasteEntries } from "./paste-entries.tsx";
import { useEnvironmentHref, useEnvironments, useWhyNotWrite } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import "../../style/environments.css";
import { PageActions } from "../../parts/page-title.tsx";
import { Select } from "../../parts/select.tsx";

export function EnvironmentsPage(): ReactNode {
  const { environments, error, retry } = useEnvironments();
  const hrefOf = useEnvironmentHref();
  const [filter, setFilter] = useSearchValue("key");
  const [shown, setShown] = useSearchValue("environment");
  const [open, setOpen] = useState<"create" | "paste" | null>(null);
  const why = useWhyNotWrite();
  if (!environments) return error ? <Problem error={error} retry={retry} /> : <Skeleton />;
  const all = [...new Set(environments.flatMap(({ entries }) => entries.map(({ key }) => key)))].toSorted();
  const keys = all.filter((key) => key.toLowerCase().includes(filter.toLowerCase()));
  const names = environments.map(({ name }) => name);
  const chosen = names.includes(shown) ? shown : (names[0] ?? "");
  return (
    <>
      <p>
        What an application of the project gets as environment variables. Secrets are shown by name. An environment's
        name leads to its text, versions and settings, a key to all its values.
      </p>
      {error && <Problem error={error} retry={retry} />}
      <PageActions>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("create")}>
          <Plus className="i" />
          New environment
        </Button>
        <Button disabledBecause={why} onClick={() => setOpen("paste")}>
          Paste entries
        </Button>
      </PageActions>
      <search className="tools">
        <input
          type="search"
          aria-label="Filter by key"
          placeholder="Filter by key"
          value={filter}
          onChange={({ target }) => setFilter(target.value)}
        />
        <Select className="narrow" aria-label="Environment" choices={names} value={chosen} onChange={setShown} />
        <Link className="button plain narrow" href={hrefOf(chosen)}>
          Text, versions and settings
        </Link>
      </search>
      <Grid environments={environments} keys={keys} chosen={chosen} />
      {all.length === 0 ? (
        <Empty title="The project has no entries yet" hint="Paste the lines of a .env file." />
      ) : (
        keys.length === 0 && <p className="quiet">No key has {filter} in it.</p>
      )}
      <Settled>
        <Readers />
      </Settled>
      {open === "create" && <CreateEnvironment names={names} onClose={() => setOpen(null)} />}
      {open === "paste" && <PasteEntries environments={environments} first={chosen} onClose={() => setOpen(null)} />}
    </>
  );
}

// The environments of a project: their entries side by side, and how they are changed.
import { CircleDashed, ClipboardPaste, CornerLeftUp, KeyRound, Plus } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { Settled } from "../../parts/settled.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty, Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { SearchInput } from "../../parts/search-input.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { CreateEnvironment } from "./create-environment.tsx";
import { Grid } from "./grid.tsx";
import { PasteEntries } from "./paste-entries.tsx";
import { useEnvironmentHref, useEnvironments, useWhyNotWrite } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import "../../style/environments.css";
import { PageActions } from "../../parts/page-title.tsx";
import { Segment } from "../../parts/segment.tsx";
import { Select } from "../../parts/select.tsx";

const KINDS = ["All", "Missing", "Secrets"] as const;

export function EnvironmentsPage(): ReactNode {
  const { environments, error, retry } = useEnvironments();
  const hrefOf = useEnvironmentHref();
  const [filter, setFilter] = useSearchValue("key");
  const [shown, setShown] = useSearchValue("environment");
  const [kind, setKind] = useState<(typeof KINDS)[number]>("All");
  const [open, setOpen] = useState<"create" | "paste" | null>(null);
  const why = useWhyNotWrite();
  if (!environments) return error ? <Problem error={error} retry={retry} /> : <Skeleton />;
  const all = [...new Set(environments.flatMap(({ entries }) => entries.map(({ key }) => key)))].toSorted();
  const keysOf = {
    All: all,
    Missing: all.filter((key) => environments.some(({ entries }) => entries.every((entry) => entry.key !== key))),
    Secrets: all.filter((key) =>
      environments.some(({ entries }) => entries.some((entry) => entry.key === key && entry.secret)),
    ),
  };
  const counts = { All: all.length, Missing: keysOf.Missing.length, Secrets: keysOf.Secrets.length };
  const keys = keysOf[kind].filter((key) => key.toLowerCase().includes(filter.toLowerCase()));
  const names = environments.map(({ name }) => name);
  const chosen = names.includes(shown) ? shown : (names[0] ?? "");
  return (
    <>
      {error && <Problem error={error} retry={retry} />}
      <PageActions>
        <Button kind="plain" disabledBecause={why} onClick={() => setOpen("create")}>
          <Plus className="i" />
          New environment
        </Button>
        <Button disabledBecause={why} onClick={() => setOpen("paste")}>
          <ClipboardPaste className="i" />
          Paste entries
        </Button>
      </PageActions>
      <search className="tools">
        <SearchInput label="Filter keys" value={filter} onChange={setFilter} />
        <Segment label="Keys" values={KINDS} counts={counts} value={kind} onChange={(next) => setKind(next)} />
        <Select className="narrow" aria-label="Environment" choices={names} value={chosen} onChange={setShown} />
        <Link className="button plain narrow" href={hrefOf(chosen)}>
          Text, versions and settings
        </Link>
        <ul className="signs" aria-label="Signs">
          <li>
            <KeyRound className="i i-s" />
            Secret
          </li>
          <li>
            <CornerLeftUp className="i i-s" />
            Inherited
          </li>
          <li>
            <CircleDashed className="i i-s" />
            Missing
          </li>
        </ul>
      </search>
      <Grid environments={environments} keys={keys} chosen={chosen} />
      {all.length === 0 ? (
        <Empty title="The project has no entries yet" hint="Paste the lines of a .env file." />
      ) : (
        keys.length === 0 && <p className="quiet">No key fits.</p>
      )}
      {keys.length > 0 && (
        <p className="hint">
          A key leads to all its values, an environment to its text, versions and settings. An environment's own entries
          win over those that it inherits.
        </p>
      )}
      <Settled>
        <Readers />
      </Settled>
      {open === "create" && <CreateEnvironment names={names} onClose={() => setOpen(null)} />}
      {open === "paste" && <PasteEntries environments={environments} first={chosen} onClose={() => setOpen(null)} />}
    </>
  );
}

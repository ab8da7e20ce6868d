// One environment: its entries as text, what it inherits from, its versions, and who read it.
import { useState } from "react";
import type { ReactNode } from "react";
import { useParams } from "wouter";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { Settled } from "../../parts/settled.tsx";
import { Segment } from "../../parts/segment.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { EditText } from "./edit-text.tsx";
import { EnvironmentSettings } from "./environment-settings.tsx";
import { EntryTable } from "./entry-table.tsx";
import { useEnvironment } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import { Versions } from "./versions.tsx";
import "../../style/environments.css";
import { PageBadges, usePageTitle } from "../../parts/page-title.tsx";

interface Held {
  /** The version whose text is edited. */
  readonly version: number;
  /** It stays until this one is read: the one that was stored; null: until nothing typed is left. */
  readonly until: number | null;
}

const VIEWS = ["Edit as .env", "Table"] as const;

export function EnvironmentPage(): ReactNode {
  const { environment } = useParams<{ readonly environment: string }>();
  const [held, setHeld] = useState<Held | null>(null);
  const found = useEnvironment(environment);
  usePageTitle(environment);
  const [view, setView] = useSearchValue("view");
  const shown = view === "table" ? "Table" : "Edit as .env";
  const data = found.data;
  const newest = data?.value.version ?? 0;
  const isHeld = held !== null && (held.until === null || newest < held.until);
  const version = isHeld ? held.version : newest;
  const stored = isHeld ? null : (held?.until ?? null);
  return (
    <div className="environment">
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {data ? (
        <>
          {stored !== null && <output className="notice good">Stored as version {stored}.</output>}
          <PageBadges>
            <span className="badge">Version {newest}</span>
          </PageBadges>
          <Segment
            label="Entries"
            values={VIEWS}
            value={shown}
            onChange={(one) => setView(one === "Table" ? "table" : "")}
          />
          {shown === "Table" && <EntryTable environment={data.value} />}
          {/* What was typed stays. */}
          <div hidden={shown === "Table"}>
            <EditText
              key={version}
              environment={data.value}
              onTyped={(isTyped) => {
                if (isTyped || isHeld) setHeld(isTyped ? { version, until: null } : null);
              }}
              onStored={(until) => setHeld({ version, until })}
            />
          </div>
          <Settled>
            <EnvironmentSettings found={data} />
            <Versions environment={data.value} />
            <Readers environment={environment} />
          </Settled>
        </>
      ) : (
        !found.error && <Skeleton />
      )}
    </div>
  );
}

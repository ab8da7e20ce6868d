// One environment: its entries, also as text, its versions, who read it, and what it inherits from.
import { Download } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useParams } from "wouter";
import { useMay } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { saveText } from "../../parts/files.ts";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useSearchValue } from "../../parts/search-value.ts";
import { ViewTabs } from "../../parts/tabs.tsx";
import { EditText } from "./edit-text.tsx";
import { EnvironmentSettings } from "./environment-settings.tsx";
import { EntryTable } from "./entry-table.tsx";
import { renderEntries } from "./entry-text.ts";
import { ownOf, useEnvironment } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import { Versions } from "./versions.tsx";
import "../../style/environments.css";
import { PageActions, PageBadges, usePageTitle } from "../../parts/page-title.tsx";

interface Held {
  /** The version whose text is edited. */
  readonly version: number;
  /** It stays until this one is read: the one that was stored; null: until nothing typed is left. */
  readonly until: number | null;
}

const VIEWS = {
  table: "Variables",
  "": "Edit as .env",
  versions: "Versions",
  reads: "Reads",
  settings: "Settings",
};
/** Without those, for who may not see events. */
const { reads: _reads, ...OTHER_VIEWS } = VIEWS;

export function EnvironmentPage(): ReactNode {
  const { environment } = useParams<{ readonly environment: string }>();
  const [held, setHeld] = useState<Held | null>(null);
  const found = useEnvironment(environment);
  usePageTitle(environment);
  const [asked] = useSearchValue("view");
  const views = useMay("event:read") === false ? OTHER_VIEWS : VIEWS;
  const view = Object.hasOwn(views, asked) ? asked : "";
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
          <PageActions>
            <Button
              kind="plain"
              onClick={() => saveText(`${environment}.env`, renderEntries(ownOf(data.value)), "text/plain")}
            >
              <Download className="i" />
              Download
            </Button>
          </PageActions>
          <ViewTabs label="Environment" views={views} />
          {view === "table" && <EntryTable environment={data.value} />}
          {/* What was typed stays. */}
          <div hidden={view !== ""}>
            <EditText
              key={version}
              environment={data.value}
              onTyped={(isTyped) => {
                if (isTyped || isHeld) setHeld(isTyped ? { version, until: null } : null);
              }}
              onStored={(until) => setHeld({ version, until })}
            />
          </div>
          {view === "versions" && <Versions environment={data.value} />}
          {view === "reads" && <Readers environment={environment} />}
          {view === "settings" && <EnvironmentSettings found={data} />}
        </>
      ) : (
        !found.error && <Skeleton />
      )}
    </div>
  );
}

// The versions of an environment: compared, and brought back.
import { GitCompareArrows, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useApiPages, useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useProject } from "../../parts/project.tsx";
import { DataTable } from "../../parts/table.tsx";
import type { Column } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { Differences } from "./differences.tsx";
import { useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { ChangedMeanwhile } from "./review.tsx";

const LIST = "GET /v1/environments/:project/:environment/versions";
type Version = Output<typeof LIST>["versions"][number];

function useInput(environment: string) {
  const teamId = useTeamId();
  const [project] = useProject();
  return { params: { project, environment }, query: { teamId } };
}

const ROLL_BACK = "POST /v1/environments/:project/:environment/rollback";

interface AtVersion {
  readonly environment: string;
  readonly version: number;
}

/** What a version changed. */
function Changed({ environment, version: to }: AtVersion): ReactNode {
  const { params, query } = useInput(environment);
  const diff = useApi("GET /v1/environments/:project/:environment/diff", { params, query: { ...query, to } });
  if (diff.error) return <Problem error={diff.error} />;
  return diff.data ? <Differences of={diff.data.value} /> : <Skeleton rows={2} />;
}

/** What a roll-back would change, or why it would be refused. */
function WouldChange({ environment, version }: AtVersion): ReactNode {
  const { params, query } = useInput(environment);
  const dry = useApi(ROLL_BACK, { params, query: { ...query, dryRun: true }, body: { version } });
  if (dry.error) return <Problem error={dry.error} />;
  return dry.data ? <Differences of={dry.data.value} /> : <Skeleton rows={2} />;
}

interface RollBackProps {
  readonly environment: Environment;
  /** The version that is brought back. */
  readonly version: number;
  readonly onClose: () => void;
}

function RollBack({ environment, version, onClose }: RollBackProps): ReactNode {
  const input = useInput(environment.name);
  const rollBack = useChange(ROLL_BACK, onClose);
  const expectVersion = useSeenVersion(environment.version, rollBack.error);
  return (
    <Confirm
      title={`Bring the entries of version ${version} back?`}
      what="They become a new version. The values of secrets stay as they are. What would change:"
      label="Roll back"
      change={rollBack}
      outdated={<ChangedMeanwhile environment={environment.name} />}
      onConfirm={() => rollBack.mutate({ ...input, body: { version, expectedVersion: expectVersion() } })}
      onClose={onClose}
    >
      <WouldChange environment={environment.name} version={version} />
    </Confirm>
  );
}

/** A version in which no entry differs changed what the environment inherits from, unless it is that of its creation. */
function changesOf({ version, changeCount, inheritsFrom }: Version): ReactNode {
  const isOfParent = changeCount === 0 && (version > 1 || inheritsFrom !== null);
  return isOfParent ? `now inherits from ${inheritsFrom ?? "nothing"}` : changeCount;
}

const COLUMNS: readonly Column<Version>[] = [
  {
    title: "Version",
    cell: ({ version, restoredFrom, note }) => (
      <>
        {version}
        {restoredFrom !== null && <span className="quiet">version {restoredFrom} again</span>}
        {note !== null && <span className="quiet">{note}</span>}
      </>
    ),
  },
  { title: "When", cell: ({ createdAt }) => <Time at={createdAt} /> },
  { title: "By", cell: ({ createdBy }) => createdBy.name, leaves: "phone" },
  { title: "Changes", cell: changesOf },
];

function VersionList({ environment }: { readonly environment: Environment }): ReactNode {
  const list = useApiPages(LIST, useInput(environment.name));
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  const [compared, setCompared] = useState<number | null>(null);
  const [restored, setRestored] = useState<number | null>(null);
  const why = useWhyNotWrite();
  return (
    <>
      <DataTable
        label="Versions"
        list={list}
        rows={versions}
        keyOf={({ version }) => String(version)}
        nameOf={({ version }) => `version ${version}`}
        isWrapped
        columns={COLUMNS}
        actions={({ version }) => [
          {
            label: version === compared ? "Hide changes" : "Show changes",
            icon: GitCompareArrows,
            onSelect: () => setCompared(version === compared ? null : version),
          },
          {
            label: "Roll back",
            icon: RotateCcw,
            whyNot: why ?? (version === environment.version ? "It is the newest" : null),
            onSelect: () => setRestored(version),
          },
        ]}
        below={({ version }) => version === compared && <Changed environment={environment.name} version={version} />}
        empty={<p className="quiet">Nothing was changed yet.</p>}
      />
      {restored !== null && <RollBack environment={environment} version={restored} onClose={() => setRestored(null)} />}
    </>
  );
}

export function Versions({ environment }: { readonly environment: Environment }): ReactNode {
  if (environment.version === 0) return <p className="quiet">Nothing was changed yet.</p>;
  return <VersionList environment={environment} />;
}

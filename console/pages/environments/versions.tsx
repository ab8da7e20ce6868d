// The versions of an environment: compared, and brought back.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Output } from "../../api/endpoints.ts";
import { useApi, useApiPages, useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { ApiList } from "../../parts/api-list.tsx";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { useProject } from "../../parts/project.tsx";
import { Table } from "../../parts/table.tsx";
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

interface RowProps {
  readonly environment: Environment;
  readonly of: Version;
}

function Row({
  environment,
  of: { version, createdAt, createdBy, changeCount, inheritsFrom, note, restoredFrom },
}: RowProps): ReactNode {
  const [isCompared, setCompared] = useState(false);
  const [isRollingBack, setRollingBack] = useState(false);
  const why = useWhyNotWrite();
  // A version in which no entry differs changed what the environment inherits from, unless it is that of its creation.
  const isOfParent = changeCount === 0 && (version > 1 || inheritsFrom !== null);
  return (
    <>
      <tr>
        <th scope="row">
          {version}
          {restoredFrom !== null && <span className="quiet">version {restoredFrom} again</span>}
          {note !== null && <span className="quiet">{note}</span>}
        </th>
        <td>
          <Time at={createdAt} />
        </td>
        <td>{createdBy.name}</td>
        <td>{isOfParent ? `now inherits from ${inheritsFrom ?? "nothing"}` : changeCount}</td>
        <td className="actions">
          <Button kind="plain" aria-expanded={isCompared} onClick={() => setCompared(!isCompared)}>
            {isCompared ? "Hide changes" : "Show changes"}
          </Button>
          <Button
            kind="plain"
            disabledBecause={why ?? (version === environment.version ? "It is the newest" : null)}
            onClick={() => setRollingBack(true)}
          >
            Roll back
          </Button>
          {isRollingBack && (
            <RollBack environment={environment} version={version} onClose={() => setRollingBack(false)} />
          )}
        </td>
      </tr>
      {isCompared && (
        <tr>
          <td colSpan={5} className="whole">
            <Changed environment={environment.name} version={version} />
          </td>
        </tr>
      )}
    </>
  );
}

function VersionList({ environment }: { readonly environment: Environment }): ReactNode {
  const list = useApiPages(LIST, useInput(environment.name));
  const versions = list.data?.pages.flatMap((page) => page.versions) ?? [];
  return (
    <ApiList list={list} isEmpty={versions.length === 0} empty={<p className="quiet">Nothing was changed yet.</p>}>
      <Table columns={["Version", "When", "By", "Changes"]} actions="Actions">
        {versions.map((one) => (
          <Row key={one.version} environment={environment} of={one} />
        ))}
      </Table>
    </ApiList>
  );
}

export function Versions({ environment }: { readonly environment: Environment }): ReactNode {
  return (
    <section>
      <h2>Versions</h2>
      {environment.version === 0 ? (
        <p className="quiet">Nothing was changed yet.</p>
      ) : (
        <VersionList environment={environment} />
      )}
    </section>
  );
}

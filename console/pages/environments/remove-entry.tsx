// Removes an own entry of an environment, unless somebody changed the environment meanwhile.
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { useProject } from "../../parts/project.tsx";
import { StoredAs } from "./entry-value.tsx";
import { entryOf } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { ChangedMeanwhile } from "./review.tsx";

interface Props {
  readonly environment: Environment;
  readonly of: string;
  readonly onClose: () => void;
}

export function RemoveEntry({ environment, of, onClose }: Props): ReactNode {
  const { name, version } = environment;
  const teamId = useTeamId();
  const [project] = useProject();
  const remove = useChange("PATCH /v1/environments/:project", onClose);
  const expectVersion = useSeenVersion(version, remove.error);
  const entry = entryOf(environment, of);
  return (
    <Confirm
      title={`Remove ${of} from ${name}?`}
      what="An inherited entry applies again. A secret that it names stays."
      label="Remove"
      change={remove}
      outdated={<ChangedMeanwhile environment={name} />}
      onConfirm={() =>
        remove.mutate({
          params: { project },
          query: { teamId },
          body: { environments: { [name]: { remove: [of] } }, expectedVersions: { [name]: expectVersion() } },
        })
      }
      onClose={onClose}
    >
      {entry && <StoredAs entry={entry} />}
    </Confirm>
  );
}

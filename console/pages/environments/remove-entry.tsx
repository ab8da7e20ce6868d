// Removes an own entry of an environment, unless somebody changed the environment meanwhile.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { useProject } from "../../parts/project.tsx";
import { TEXTS, fill } from "../../texts.ts";
import type { Environment } from "./project-environments.ts";

const T = TEXTS.environments;

interface Props {
  readonly environment: Environment;
  readonly of: string;
  readonly onClose: () => void;
}

export function RemoveEntry({ environment: { name, version }, of, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  const [seen] = useState(version);
  const remove = useChange("PATCH /v1/environments/:project", onClose);
  return (
    <Confirm
      title={fill(T.removeTitle, { key: of, environment: name })}
      what={T.removeWhat}
      label={T.remove}
      change={remove}
      onConfirm={() =>
        remove.mutate({
          params: { project },
          query: { teamId },
          body: { environments: { [name]: { remove: [of] } }, expectedVersions: { [name]: seen } },
        })
      }
      onClose={onClose}
    />
  );
}

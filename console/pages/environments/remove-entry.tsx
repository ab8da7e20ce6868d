// Removes an own entry of an environment, unless somebody changed the environment meanwhile.
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { useProject } from "../../parts/project.tsx";
import { useUndoable } from "../../parts/toast.tsx";
import { StoredAs } from "./entry-value.tsx";
import { entryOf } from "./project-environments.ts";
import type { Entry, Environment } from "./project-environments.ts";
import { ChangedMeanwhile } from "./review.tsx";

interface Props {
  readonly environment: Environment;
  readonly of: string;
  readonly onClose: () => void;
}

/** What stores it again; null: nothing does, because its secret is gone. */
function storedOf(entry: Entry | undefined) {
  if (!entry) return null;
  const { value, secret, isSensitive = false, comment } = entry;
  if (value !== undefined) return { value, isSensitive, comment };
  return secret?.name ? { secret: secret.name, isSensitive, comment } : null;
}

export function RemoveEntry({ environment, of, onClose }: Props): ReactNode {
  const { name, version } = environment;
  const teamId = useTeamId();
  const [project] = useProject();
  const toast = useUndoable();
  const set = storedOf(entryOf(environment, of));
  const remove = useChange("PATCH /v1/environments/:project", () => {
    onClose();
    if (set === null) return;
    toast(`${of} was removed from ${name}`, () =>
      call("PATCH /v1/environments/:project", {
        params: { project },
        query: { teamId },
        body: { environments: { [name]: { set: { [of]: set } } } },
      }),
    );
  });
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

// What an environment inherits from, and how it is deleted.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Fetched } from "../../api/call.ts";
import { useChange } from "../../api/queries.ts";
import { isOutdated, useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { onSubmit, otherProblem, problemWith, NOTHING_CHANGED } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { InheritsFrom } from "./inherits-from.tsx";
import { useEnvironmentList, useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { ChangedMeanwhile } from "./review.tsx";

interface Props {
  readonly found: Fetched<Environment>;
}

/** What a request about the environment takes, by the `ETag` that it expects. */
function useInput({ found }: Props) {
  const teamId = useTeamId();
  const [project] = useProject();
  const params = { project, environment: found.value.name };
  return (etag: string | null) => ({ params, query: { teamId }, ...(etag === null ? {} : { ifMatch: etag }) });
}

function Delete({ found, onClose }: Props & { readonly onClose: () => void }): ReactNode {
  const { name } = found.value;
  const teamId = useTeamId();
  const [project] = useProject();
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/environments/:project/:environment", () =>
    navigate(projectHref(ADDRESSES.environments, teamId, project)),
  );
  const input = useInput({ found });
  const expectEtag = useSeenVersion(found.etag, remove.error);
  return (
    <Confirm
      title={`Delete ${name}?`}
      what="Its entries and versions go with it, for good. Its secrets stay."
      label="Delete"
      word={name}
      change={remove}
      outdated={<ChangedMeanwhile environment={name} />}
      onConfirm={() => remove.mutate(input(expectEtag()))}
      onClose={onClose}
    />
  );
}

interface Chosen {
  readonly from: string;
  /** Of what was shown then. */
  readonly etag: string | null;
}

export function EnvironmentSettings({ found }: Props): ReactNode {
  const { name, isBuiltIn } = found.value;
  /** Null: as it is stored. */
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const list = useEnvironmentList();
  const why = useWhyNotWrite();
  const input = useInput({ found });
  const change = useChange("PATCH /v1/environments/:project/:environment", () => setChosen(null));
  // What was stored here is shown until it is read again.
  const { inheritsFrom } = change.data && change.data.version > found.value.version ? change.data : found.value;
  const stored = inheritsFrom ?? "";
  const isSame = chosen === null || chosen.from === stored;
  const others = (list.data?.value.environments ?? []).map((one) => one.name).filter((one) => one !== name);
  const submit = onSubmit(() => {
    if (chosen === null) return;
    const etag = isOutdated(change.error) ? found.etag : chosen.etag;
    setChosen({ ...chosen, etag });
    change.mutate({ ...input(etag), body: { inheritsFrom: chosen.from || null } });
  });
  const isTold = isOutdated(change.error);
  const other = isTold ? null : otherProblem(change.error, ["inheritsFrom"]);
  return (
    <>
      <form className="panel" onSubmit={submit}>
        {isTold && <ChangedMeanwhile environment={name} />}
        {other && <Problem error={other} />}
        <InheritsFrom
          names={others.length === 0 && inheritsFrom !== null ? [inheritsFrom] : others}
          value={chosen?.from ?? stored}
          problem={problemWith(change.error, "inheritsFrom")}
          onChange={(from) => setChosen({ from, etag: isSame ? found.etag : chosen.etag })}
        />
        <footer className="tools">
          <Button type="submit" disabledBecause={why ?? (isSame ? NOTHING_CHANGED : null)} busy={change.isPending}>
            Save
          </Button>
          <Button
            kind="danger"
            disabledBecause={why ?? (isBuiltIn ? "Every project has this environment" : null)}
            onClick={() => setDeleting(true)}
          >
            Delete
          </Button>
        </footer>
      </form>
      {isDeleting && <Delete found={found} onClose={() => setDeleting(false)} />}
    </>
  );
}

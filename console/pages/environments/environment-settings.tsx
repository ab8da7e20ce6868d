// What an environment inherits from, and how it is deleted.
import { useState } from "react";
import type { ReactNode } from "react";
import { useLocation } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Fetched } from "../../api/call.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { isOutdated, useSeenVersion } from "../../api/seen-version.ts";
import { useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { onSubmit, otherProblem, problemWith } from "../../parts/form.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { InheritsFrom } from "./inherits-from.tsx";
import { useWhyNotWrite } from "./project-environments.ts";
import type { Environment } from "./project-environments.ts";
import { ChangedMeanwhile } from "./review.tsx";

const T = TEXTS.environments;

interface Props {
  readonly found: Fetched<Environment>;
}

function useInput({ found }: Props, error: Error | null) {
  const teamId = useTeamId();
  const [project] = useProject();
  const expectEtag = useSeenVersion(found.etag, error);
  return () => {
    const etag = expectEtag();
    const params = { project, environment: found.value.name };
    return { params, query: { teamId }, ...(etag === null ? {} : { ifMatch: etag }) };
  };
}

function Delete({ found, onClose }: Props & { readonly onClose: () => void }): ReactNode {
  const { name } = found.value;
  const teamId = useTeamId();
  const [project] = useProject();
  const [, navigate] = useLocation();
  const remove = useChange("DELETE /v1/environments/:project/:environment", () =>
    navigate(projectHref(ADDRESSES.environments, teamId, project)),
  );
  const input = useInput({ found }, remove.error);
  return (
    <Confirm
      title={fill(T.deleteTitle, { name })}
      what={T.deleteWhat}
      label={T.delete}
      word={name}
      change={remove}
      outdated={<ChangedMeanwhile environment={name} />}
      onConfirm={() => remove.mutate(input())}
      onClose={onClose}
    />
  );
}

export function EnvironmentSettings({ found }: Props): ReactNode {
  const { name, inheritsFrom, isBuiltIn } = found.value;
  const teamId = useTeamId();
  const [project] = useProject();
  /** Null: as it is stored. */
  const [from, setFrom] = useState<string | null>(null);
  const [isDeleting, setDeleting] = useState(false);
  const list = useApi("GET /v1/environments/:project", { params: { project }, query: { teamId } });
  const why = useWhyNotWrite();
  const change = useChange("PATCH /v1/environments/:project/:environment", () => setFrom(null));
  const input = useInput({ found }, change.error);
  const others = (list.data?.value.environments ?? []).map((one) => one.name).filter((one) => one !== name);
  const stored = inheritsFrom ?? "";
  const isSame = from === null || from === stored;
  const submit = onSubmit(() => change.mutate({ ...input(), body: { inheritsFrom: from || null } }));
  const isTold = isOutdated(change.error);
  const other = isTold ? null : otherProblem(change.error, ["inheritsFrom"]);
  return (
    <section>
      <h2>{T.settings}</h2>
      <form className="panel" onSubmit={submit}>
        {isTold && <ChangedMeanwhile environment={name} />}
        {other && <Problem error={other} />}
        <InheritsFrom
          names={others.length === 0 && inheritsFrom !== null ? [inheritsFrom] : others}
          value={from ?? stored}
          problem={problemWith(change.error, "inheritsFrom")}
          onChange={setFrom}
        />
        <footer className="tools">
          <Button type="submit" disabledBecause={why ?? (isSame ? TEXTS.nothingChanged : null)} busy={change.isPending}>
            {T.save}
          </Button>
          <Button
            kind="danger"
            disabledBecause={why ?? (isBuiltIn ? T.builtIn : null)}
            onClick={() => setDeleting(true)}
          >
            {T.delete}
          </Button>
        </footer>
      </form>
      {isDeleting && <Delete found={found} onClose={() => setDeleting(false)} />}
    </section>
  );
}

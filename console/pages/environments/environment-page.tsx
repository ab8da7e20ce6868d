// One environment: its entries as text, what it inherits from, its versions, and who read it.
import { useState } from "react";
import type { ReactNode } from "react";
import { Link, useLocation, useParams } from "wouter";
import { ADDRESSES } from "../../addresses.ts";
import type { Fetched } from "../../api/call.ts";
import { useApi, useChange } from "../../api/queries.ts";
import { useMay, useTeamId } from "../../api/team.ts";
import { Button } from "../../parts/button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { onSubmit } from "../../parts/form.tsx";
import { Skeleton } from "../../parts/placeholder.tsx";
import { Problem } from "../../parts/problem.tsx";
import { projectHref, useProject } from "../../parts/project.tsx";
import { TEXTS, fill } from "../../texts.ts";
import { EditText } from "./edit-text.tsx";
import type { Environment } from "./project-environments.ts";
import { Readers } from "./readers.tsx";
import { Versions } from "./versions.tsx";

const T = TEXTS.environments;

function Settings({ found }: { readonly found: Fetched<Environment> }): ReactNode {
  const { name, inheritsFrom, isBuiltIn } = found.value;
  const teamId = useTeamId();
  const [project] = useProject();
  const [, navigate] = useLocation();
  const [base] = useState(found);
  const [isDeleting, setDeleting] = useState(false);
  const list = useApi("GET /v1/environments/:project", { params: { project }, query: { teamId } });
  const why = useMay("environment:write") === false ? T.mayNotWrite : null;
  const input = {
    params: { project, environment: name },
    query: { teamId },
    ...(base.etag === null ? {} : { ifMatch: base.etag }),
  };
  const change = useChange("PATCH /v1/environments/:project/:environment");
  const remove = useChange("DELETE /v1/environments/:project/:environment", () =>
    navigate(projectHref(ADDRESSES.environments, teamId, project)),
  );
  const others = (list.data?.value.environments ?? []).filter((one) => one.name !== name);
  const submit = onSubmit((field) => change.mutate({ ...input, body: { inheritsFrom: field("from") || null } }));
  return (
    <form className="panel" onSubmit={submit}>
      {change.error && <Problem error={change.error} />}
      <Field label={T.inheritsFrom}>
        {(control) => (
          <select {...control} key={others.length} name="from" defaultValue={inheritsFrom ?? ""}>
            <option value="">{T.fromNone}</option>
            {others.map((one) => (
              <option key={one.name}>{one.name}</option>
            ))}
          </select>
        )}
      </Field>
      <footer className="tools">
        <Button type="submit" disabledBecause={why} busy={change.isPending}>
          {T.save}
        </Button>
        <Button kind="danger" disabledBecause={why ?? (isBuiltIn ? T.builtIn : null)} onClick={() => setDeleting(true)}>
          {T.delete}
        </Button>
      </footer>
      {isDeleting && (
        <Confirm
          title={fill(T.deleteTitle, { name })}
          what={T.deleteWhat}
          label={T.delete}
          word={name}
          change={remove}
          onConfirm={() => remove.mutate(input)}
          onClose={() => setDeleting(false)}
        />
      )}
    </form>
  );
}

export function EnvironmentPage(): ReactNode {
  const { environment } = useParams<{ readonly environment: string }>();
  const teamId = useTeamId();
  const [project] = useProject();
  const [stored, setStored] = useState(0);
  const found = useApi("GET /v1/environments/:project/:environment", {
    params: { project, environment },
    query: { teamId },
  });
  const data = found.data;
  return (
    <>
      <p>
        <Link href={projectHref(ADDRESSES.environments, teamId, project)}>{T.toAll}</Link>
      </p>
      <h2>
        {environment} ({project})
      </h2>
      {found.error && <Problem error={found.error} retry={() => void found.refetch()} />}
      {data ? (
        <>
          <EditText
            key={`${stored > data.value.version ? data.value.version : stored}`}
            environment={data.value}
            onStored={setStored}
          />
          <Settings key={data.etag} found={data} />
          <Versions environment={data.value} />
          <Readers environment={environment} />
        </>
      ) : (
        !found.error && <Skeleton />
      )}
    </>
  );
}

// Puts clients on the bypass list.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../../api/queries.ts";
import { useTeamId } from "../../../api/team.ts";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../../parts/form.tsx";
import { useProject } from "../../../parts/project.tsx";
import { Select } from "../../../parts/select.tsx";

const DURATIONS = {
  3600: "1 hour",
  86400: "1 day",
  604800: "7 days",
  2592000: "30 days",
  31536000: "365 days",
  0: "without an end",
};

interface TargetProps {
  readonly label: string;
  /** The choice that needs no text, and the one that does. */
  readonly all: string;
  readonly one: string;
  readonly isAll: boolean;
  readonly onChange: (isAll: boolean) => void;
  readonly children: ReactNode;
}

/** A choice between everything and one thing, which is then named. */
function Target({ label, all, one, isAll, onChange, children }: TargetProps): ReactNode {
  return (
    <>
      <Field label={label}>
        {(control) => (
          <Select
            {...control}
            choices={{ one, all }}
            value={isAll ? "all" : "one"}
            onChange={(next) => onChange(next === "all")}
          />
        )}
      </Field>
      {!isAll && children}
    </>
  );
}

interface TextProps {
  readonly name: "sourceIp" | "domain" | "note";
  readonly label: string;
  readonly hint: string;
  readonly error: Error | null;
}

function TextField({ name, label, hint, error }: TextProps): ReactNode {
  return (
    <Field label={label} hint={hint} problem={problemWith(error, name)}>
      {(control) => (
        <input {...control} name={name} required={name !== "note"} autoComplete="off" spellCheck={name === "note"} />
      )}
    </Field>
  );
}

export function AddBypass({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const [projectId] = useProject();
  const [isEveryClient, setEveryClient] = useState(false);
  const [isWholeProject, setWholeProject] = useState(true);
  const add = useChange("POST /v1/security/firewall/bypass");
  const { error } = add;
  const submit = onSubmit((field) => {
    const seconds = Number(field("lasts"));
    const note = field("note");
    add.mutate(
      {
        query: { teamId, projectId },
        body: {
          ...(isWholeProject ? { projectScope: true } : { domain: field("domain") }),
          ...(isEveryClient ? { allSources: true } : { sourceIp: field("sourceIp") }),
          ...(seconds > 0 && { ttl: seconds * 1_000 }),
          ...(note !== "" && { note }),
        },
      },
      { onSuccess: onClose },
    );
  });
  return (
    <FormDialog
      title="Add bypass"
      change={add}
      fields={["sourceIp", "domain", "note"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Target
        label="For which clients"
        all="every client"
        one="an address or a network"
        isAll={isEveryClient}
        onChange={setEveryClient}
      >
        <TextField
          name="sourceIp"
          label="Address or network"
          hint="Such as 192.0.2.7 or 192.0.2.0/24; at least /16."
          error={error}
        />
      </Target>
      <Target
        label="For which domain"
        all="the whole project"
        one="one domain"
        isAll={isWholeProject}
        onChange={setWholeProject}
      >
        <TextField
          name="domain"
          label="Domain"
          hint="A host name, or *.example.com for every name below it."
          error={error}
        />
      </Target>
      {isEveryClient && isWholeProject && (
        <p className="notice">
          For every client of the whole project, nobody is challenged at all. Without an end, it ends after a day.
        </p>
      )}
      <Field label="For how long">{(control) => <Select {...control} name="lasts" choices={DURATIONS} />}</Field>
      <TextField name="note" label="Note" hint="Why it is there. At most 500 characters." error={error} />
    </FormDialog>
  );
}

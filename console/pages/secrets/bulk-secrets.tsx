// What is done with all selected secrets: tags are added, an end is set, or they are deleted.
import { Clock, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Confirm } from "../../parts/confirm.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { timeOfField } from "../../parts/local-time.ts";
import { tagsIn } from "./secret-fields.tsx";

interface Selected {
  readonly uid: string;
  readonly name: string;
}

interface Props {
  readonly secrets: readonly Selected[];
  readonly onDone: () => void;
  readonly onClose: () => void;
}

const countOf = (secrets: readonly Selected[]): string =>
  secrets.length === 1 ? (secrets[0]?.name ?? "") : `${secrets.length} secrets`;

function AddTags({ secrets, onDone, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const change = useChange("PATCH /v1/secrets", onDone);
  const submit = onSubmit((field) =>
    change.mutate({
      query: { teamId },
      body: { secrets: secrets.map(({ uid }) => uid), addTags: tagsIn(field("addTags")) },
    }),
  );
  return (
    <FormDialog
      title={`Tag ${countOf(secrets)}`}
      label="Add tags"
      change={change}
      fields={["addTags"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Tags"
        hint="With commas between them. Present tags stay."
        problem={problemWith(change.error, "addTags")}
      >
        {(control) => <input {...control} name="addTags" required autoComplete="off" />}
      </Field>
    </FormDialog>
  );
}

function SetEnd({ secrets, onDone, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const change = useChange("PATCH /v1/secrets", onDone);
  const submit = onSubmit((field) =>
    change.mutate({
      query: { teamId },
      body: { secrets: secrets.map(({ uid }) => uid), expiresAt: timeOfField(field("expiresAt")) ?? null },
    }),
  );
  return (
    <FormDialog
      title={`Set the end of ${countOf(secrets)}`}
      label="Set end"
      change={change}
      fields={["expiresAt"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Ends"
        hint="From then on no value is revealed. Empty: never."
        problem={problemWith(change.error, "expiresAt")}
      >
        {(control) => <input {...control} name="expiresAt" type="datetime-local" />}
      </Field>
    </FormDialog>
  );
}

function DeleteAll({ secrets, onDone, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  const remove = useChange("POST /v1/secrets/delete", onDone);
  return (
    <Confirm
      title={`Delete ${countOf(secrets)}?`}
      what="Programs that read them are refused from now on. For seven days they can be restored with everything they had."
      label="Delete"
      change={remove}
      onConfirm={() => remove.mutate({ query: { teamId }, body: { secrets: secrets.map(({ uid }) => uid) } })}
      onClose={onClose}
    >
      <p className="small">{secrets.map(({ name }) => name).join(", ")}</p>
    </Confirm>
  );
}

const DIALOGS = { tag: AddTags, end: SetEnd, delete: DeleteAll };

export function BulkSecrets({ secrets, onDone }: Omit<Props, "onClose">): ReactNode {
  const [open, setOpen] = useState<keyof typeof DIALOGS | null>(null);
  const Opened = open && DIALOGS[open];
  return (
    <>
      <button type="button" onClick={() => setOpen("tag")}>
        <Tag className="i" />
        Tag
      </button>
      <button type="button" onClick={() => setOpen("end")}>
        <Clock className="i" />
        Set end
      </button>
      <button type="button" onClick={() => setOpen("delete")}>
        <Trash2 className="i" />
        Delete
      </button>
      {Opened && <Opened secrets={secrets} onDone={onDone} onClose={() => setOpen(null)} />}
    </>
  );
}

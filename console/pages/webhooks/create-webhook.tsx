// A new webhook; its secret is shown once.
import { useState } from "react";
import type { ReactNode } from "react";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith } from "../../parts/form.tsx";
import { ShownOnce } from "../../parts/shown-once.tsx";
import { EventPicker, NO_EVENT } from "./event-picker.tsx";

export const URL_HINT = "Where events are sent: http or https, at a public address.";

export function CreateWebhook({ onClose }: { readonly onClose: () => void }): ReactNode {
  const teamId = useTeamId();
  const create = useChange("POST /v1/webhooks");
  const [events, setEvents] = useState<readonly string[]>(["*"]);
  const submit = onSubmit((field) =>
    create.mutate({ query: { teamId }, body: { url: field("url"), events: [...events] } }),
  );
  if (create.data) {
    return (
      <Dialog title="The webhook is created" onClose={onClose}>
        <p>The receiver verifies signatures with this secret.</p>
        <ShownOnce label="Secret" value={create.data.secret} />
      </Dialog>
    );
  }
  return (
    <FormDialog
      title="New webhook"
      disabledBecause={events.length === 0 ? NO_EVENT : null}
      change={create}
      fields={["url", "events"]}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label="URL" hint={URL_HINT} problem={problemWith(create.error, "url")}>
        {(control) => <input {...control} name="url" type="url" required autoComplete="off" />}
      </Field>
      <EventPicker chosen={events} onChange={setEvents} />
      {problemWith(create.error, "events") !== null && (
        <p className="field-problem" role="alert">
          {problemWith(create.error, "events")}
        </p>
      )}
    </FormDialog>
  );
}

// Changes where a webhook sends, which events, and what it says about itself. Two who do so at once see both versions.
import { useState } from "react";
import type { ReactNode } from "react";
import type { Fetched } from "../../api/call.ts";
import type { Output } from "../../api/endpoints.ts";
import { useChange } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { Conflict, isConflict } from "../../parts/conflict.tsx";
import { Field } from "../../parts/field.tsx";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { onSubmit, problemWith, NOTHING_CHANGED } from "../../parts/form.tsx";
import { URL_HINT } from "./create-webhook.tsx";
import { EventPicker, NO_EVENT } from "./event-picker.tsx";

type Webhook = Output<"GET /v1/webhooks/:webhookId">;

interface Props {
  /** The newest that is known. */
  readonly found: Fetched<Webhook>;
  readonly onClose: () => void;
}

export function ChangeWebhook({ found, onClose }: Props): ReactNode {
  const teamId = useTeamId();
  // The form is about what it showed first, so that what others stored meanwhile is not written over unseen.
  const [base] = useState(found);
  const [url, setUrl] = useState(base.value.url);
  const [description, setDescription] = useState(base.value.description ?? "");
  const [events, setEvents] = useState<readonly string[]>(base.value.events);
  const change = useChange("PATCH /v1/webhooks/:webhookId", onClose);
  // What others stored in the rest meanwhile stays.
  const body = {
    ...(events !== base.value.events && { events: [...events] }),
    ...(description !== (base.value.description ?? "") && { description: description.trim() || null }),
    ...(url !== base.value.url && { url }),
  };
  const nothing = Object.keys(body).length === 0 ? NOTHING_CHANGED : null;
  const save = ({ etag }: Fetched<Webhook>): void =>
    change.mutate({
      params: { webhookId: base.value.id },
      query: { teamId },
      body,
      ...(etag === null ? {} : { ifMatch: etag }),
    });
  const stored = found.value;
  return (
    <FormDialog
      title="Change the webhook"
      label="Save"
      disabledBecause={events.length === 0 ? NO_EVENT : nothing}
      change={change}
      fields={["url", "events", "description"]}
      conflict={
        isConflict(change.error) && (
          <Conflict
            fields={[
              { label: "URL", stored: stored.url, typed: body.url ?? stored.url },
              {
                label: "Description",
                stored: stored.description ?? "",
                typed: "description" in body ? description : (stored.description ?? ""),
              },
              { label: "Events", stored: stored.events.join(", "), typed: (body.events ?? stored.events).join(", ") },
            ]}
            busy={change.isPending}
            onKeep={() => save(found)}
            onTake={onClose}
          />
        )
      }
      onSubmit={onSubmit(() => save(base))}
      onClose={onClose}
    >
      <Field label="URL" hint={URL_HINT} problem={problemWith(change.error, "url")}>
        {(control) => (
          <input {...control} type="url" value={url} required onChange={(event) => setUrl(event.target.value)} />
        )}
      </Field>
      <Field label="Description" problem={problemWith(change.error, "description")}>
        {(control) => (
          <input {...control} value={description} onChange={(event) => setDescription(event.target.value)} />
        )}
      </Field>
      <EventPicker chosen={events} onChange={setEvents} />
      {problemWith(change.error, "events") !== null && (
        <p className="field-problem" role="alert">
          {problemWith(change.error, "events")}
        </p>
      )}
    </FormDialog>
  );
}

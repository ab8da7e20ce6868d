// The form of one address entry.
import type { ReactNode } from "react";
import { isRefusal } from "../../../api/call.ts";
import { Field } from "../../../parts/field.tsx";
import { FormDialog } from "../../../parts/form-dialog.tsx";
import { onSubmit } from "../../../parts/form.tsx";
import { ACTION_NAMES } from "../action-words.ts";
import { ChangedMeanwhile, useStage } from "../firewall-config.ts";
import type { AddressEntry } from "../config-types.ts";
import { Select } from "../../../parts/select.tsx";

const FIELD_NAMES = { ip: "Address or network", hostname: "Host", notes: "Notes" };
const HINTS = {
  ip: "Such as 192.0.2.7 or 192.0.2.0/24; at most /16, or /48 of IPv6.",
  hostname: "A name, *.name, or * for every host.",
  notes: "Why, for people.",
};
export const ADDRESS_ACTIONS = ["deny", "challenge", "log", "bypass"] as const;
const FIELDS = ["ip", "hostname", "notes"] as const;

function problemAt(error: Error | null, name: string): string | null {
  if (!isRefusal(error)) return null;
  const { errors } = error.details;
  if (!Array.isArray(errors)) return null;
  const found = (errors as { field: string; message: string }[]).find(({ field }) => field.endsWith(`value.${name}`));
  return found?.message ?? null;
}

interface Props {
  /** Null: a new one. */
  readonly entry: AddressEntry | null;
  readonly onClose: () => void;
}

export function EditAddress({ entry, onClose }: Props): ReactNode {
  const stage = useStage(onClose);
  const { error } = stage;
  const submit = onSubmit((field) => {
    const notes = field("notes");
    const value = {
      ...entry,
      ip: field("ip"),
      hostname: field("hostname"),
      action: field("action"),
      ...((notes !== "" || entry?.notes) && { notes: notes === "" ? null : notes }),
    };
    stage.mutate(
      entry
        ? {
            change: { action: "ip.update", id: entry.id, value },
            replaces: { find: ({ ips }) => ips.find(({ id }) => id === entry.id), known: entry },
          }
        : { change: { action: "ip.insert", value } },
    );
  });
  const isShown = FIELDS.some((name) => problemAt(error, name) !== null);
  return (
    <FormDialog
      title={entry ? `Edit ${entry.ip}` : "New address"}
      label="Save to draft"
      change={isShown ? { ...stage, error: null } : stage}
      conflict={
        error instanceof ChangedMeanwhile && (
          <p className="problem" role="alert">
            Somebody else has changed this entry meanwhile. Close this, and look at what it is now.
          </p>
        )
      }
      onSubmit={submit}
      onClose={onClose}
    >
      {FIELDS.map((name) => (
        <Field key={name} label={FIELD_NAMES[name]} hint={HINTS[name]} problem={problemAt(error, name)}>
          {(control) => (
            <input
              {...control}
              name={name}
              required={name !== "notes"}
              autoComplete="off"
              spellCheck={name === "notes"}
              defaultValue={entry?.[name] ?? (name === "hostname" ? "*" : "")}
            />
          )}
        </Field>
      ))}
      <Field label="What happens">
        {(control) => (
          <Select
            {...control}
            name="action"
            choices={ADDRESS_ACTIONS.map((action) => [action, ACTION_NAMES[action]] as const)}
            defaultValue={entry?.action ?? "deny"}
          />
        )}
      </Field>
    </FormDialog>
  );
}

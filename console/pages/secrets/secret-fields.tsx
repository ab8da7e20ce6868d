// The settings of a secret beside its name and value, as fields of a form.
import type { ReactNode } from "react";
import type { Secret } from "../../api/objects.ts";
import { Field } from "../../parts/field.tsx";
import { problemWith } from "../../parts/form.tsx";
import { fieldTime, timeOfField } from "../../parts/local-time.ts";

export const DECRYPTABLE_HINT = "Without this it can only be replaced. It cannot be switched on later.";
export const NAME_HINT = "Letters, digits, _, . and -, unique in the team.";
export const VALUE_HINT = "At most 64 KiB. It is sealed before it is stored.";
export const LABELS = {
  description: "Description",
  tags: "Tags",
  expiresAt: "Ends",
  maxVersions: "Versions kept",
};
const HINTS = {
  description: "What it is for, for those who find it.",
  tags: "With commas between them.",
  expiresAt: "From then on its value is not revealed. Seven days and one day before, an event says so. Empty: never.",
  maxVersions: "Older ones are destroyed. 1 to 100.",
};

/** As the server has it for a secret that says nothing else. */
const VERSIONS = 10;

export const SECRET_FIELDS = ["description", "tags", "expiresAt", "maxVersions"] as const;
/** What was typed into each. */
export type Typed = Readonly<Record<(typeof SECRET_FIELDS)[number], string>>;

export const NO_SETTINGS: Typed = { description: "", tags: "", expiresAt: "", maxVersions: String(VERSIONS) };

export function typedOf({ description, tags, expiresAt, maxVersions }: Secret): Typed {
  return {
    description: description ?? "",
    tags: tags.join(", "),
    expiresAt: expiresAt === null ? "" : fieldTime(expiresAt),
    maxVersions: String(maxVersions),
  };
}

type Settings = ReturnType<typeof settingsOf>;

/** Only those that were typed anew, as the API takes them: a field shows less than is stored, such as an end to the minute. */
export function changedSettings(typed: Typed, shown: Typed): Partial<Settings> {
  const settings = settingsOf(typed);
  return Object.fromEntries(
    SECRET_FIELDS.filter((name) => typed[name] !== shown[name]).map((name) => [name, settings[name]]),
  );
}

/** The tags that were typed with commas between them. */
export function tagsIn(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter(Boolean);
}

/** The settings as the API takes them. */
export function settingsOf({ description, tags, expiresAt, maxVersions }: Typed) {
  return {
    description: description.trim() || null,
    tags: tagsIn(tags),
    expiresAt: timeOfField(expiresAt) ?? null,
    maxVersions: Number(maxVersions),
  };
}

interface Props {
  readonly typed: Typed;
  readonly error: Error | null;
  readonly onChange: (typed: Typed) => void;
}

const CONTROLS = {
  description: {},
  tags: {},
  expiresAt: { type: "datetime-local" },
  maxVersions: { type: "number", min: 1, max: 100, required: true },
} as const;

export function SecretFields({ typed, error, onChange }: Props): ReactNode {
  return SECRET_FIELDS.map((name) => (
    <Field key={name} label={LABELS[name]} hint={HINTS[name]} problem={problemWith(error, name)}>
      {(control) => (
        <input
          {...control}
          {...CONTROLS[name]}
          name={name}
          value={typed[name]}
          autoComplete="off"
          onChange={(event) => onChange({ ...typed, [name]: event.target.value })}
        />
      )}
    </Field>
  ));
}

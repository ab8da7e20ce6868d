// A filter by a time that is part of the page's address.
import type { ReactNode } from "react";
import { Field } from "./field.tsx";
import { problemWith } from "./form.tsx";
import { fieldTime, timeOfField } from "./local-time.ts";
import { useSearchValue } from "./search-value.ts";

/** A date and a time in the browser's zone; in the address it has none, so that a link means the same everywhere. */
export function SearchTime({
  name,
  label,
  error,
}: {
  readonly name: string;
  readonly label: string;
  readonly error: Error | null;
}): ReactNode {
  const [value, setValue] = useSearchValue(name);
  const at = timeOfField(value);
  return (
    <Field label={label} problem={problemWith(error, name)}>
      {(control) => (
        <input
          {...control}
          type="datetime-local"
          step={1}
          value={at === undefined ? "" : fieldTime(at, "second")}
          onChange={({ target }) => setValue(isoOf(timeOfField(target.value)))}
        />
      )}
    </Field>
  );
}

function isoOf(at: number | undefined): string {
  return at === undefined ? "" : new Date(at).toISOString();
}

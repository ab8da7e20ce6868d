// Chooses a configuration: the active one, the draft or a version by its number.
import type { ReactNode } from "react";
import { Field } from "../../../parts/field.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";
import { Select } from "../../../parts/select.tsx";

const FIRST_VERSION = "1";

interface Props {
  /** Where it is kept in the page's address. */
  readonly name: string;
  readonly label: string;
  readonly versionLabel: string;
  /** What the choice of nothing is called; without it there is always a configuration. */
  readonly none?: string;
}

/** The configuration in the page's address; the active one where none is chosen. */
export function ConfigChoice({ name, label, versionLabel, none }: Props): ReactNode {
  const [chosen, choose] = useSearchValue(name);
  const isVersion = chosen !== "" && chosen !== "active" && chosen !== "draft";
  return (
    <>
      <Field label={label}>
        {(control) => (
          <Select
            {...control}
            choices={[
              ...(none === undefined ? [] : [["", none] as const]),
              [none === undefined ? "" : "active", "the active one"],
              ["draft", "the draft"],
              ["version", "a version by its number"],
            ]}
            value={isVersion ? "version" : chosen}
            onChange={(one) => choose(one === "version" ? FIRST_VERSION : one)}
          />
        )}
      </Field>
      {isVersion && (
        <Field label={versionLabel}>
          {(control) => (
            <input
              {...control}
              type="number"
              min={1}
              required
              value={chosen}
              onChange={({ target }) => choose(target.value === "" ? FIRST_VERSION : target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

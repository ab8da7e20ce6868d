// Chooses a configuration: the active one, the draft or a version by its number.
import type { ReactNode } from "react";
import { Field } from "../../../parts/field.tsx";
import { useSearchValue } from "../../../parts/search-value.ts";

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
          <select
            {...control}
            value={isVersion ? "version" : chosen}
            onChange={({ target }) => choose(target.value === "version" ? FIRST_VERSION : target.value)}
          >
            {none !== undefined && <option value="">{none}</option>}
            <option value={none === undefined ? "" : "active"}>the active one</option>
            <option value="draft">the draft</option>
            <option value="version">a version by its number</option>
          </select>
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

// Chooses the events that a webhook is sent: all, or types and whole groups of them.
import { useState } from "react";
import type { ReactNode } from "react";
import { useApi } from "../../api/queries.ts";
import { useTeamId } from "../../api/team.ts";
import { SearchInput } from "../../parts/search-input.tsx";

export const NO_EVENT = "No event is chosen yet";

interface EventType {
  readonly name: string;
  readonly description: string;
}

/** The resource that a type is about: `team-member-add` and `deployment.created` begin with it. */
function groupOf(name: string): string {
  return name.split(/[-.]/, 1)[0] ?? name;
}

function groupsOf(types: readonly EventType[], wanted: string): ReadonlyMap<string, readonly EventType[]> {
  const found = types.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted));
  return Map.groupBy(found, ({ name }) => groupOf(name));
}

interface Props {
  /** Names and patterns, as the API takes them. */
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Choice({
  name,
  chosen,
  onChange,
  children,
}: Props & { readonly name: string; readonly children: ReactNode }): ReactNode {
  const isChosen = chosen.includes(name);
  return (
    <label className="check">
      <input
        type="checkbox"
        checked={isChosen}
        onChange={() => onChange(isChosen ? chosen.filter((one) => one !== name) : [...chosen, name])}
      />
      <span>{children}</span>
    </label>
  );
}

function Group({
  group,
  types,
  ...choice
}: Props & { readonly group: string; readonly types: readonly EventType[] }): ReactNode {
  const count = types.filter(({ name }) => choice.chosen.includes(name)).length;
  return (
    <details>
      <summary>
        {group}{" "}
        <span className="quiet">
          {count} of {types.length}
        </span>
      </summary>
      {types.map(({ name, description }) => (
        <Choice key={name} name={name} {...choice}>
          <code>{name}</code> <span className="quiet">{description}</span>
        </Choice>
      ))}
    </details>
  );
}

export function EventPicker({ chosen, onChange }: Props): ReactNode {
  const [wanted, setWanted] = useState("");
  const types = useApi("GET /v1/events/types", { query: { teamId: useTeamId() } }).data?.value.types ?? [];
  const isAll = chosen.includes("*");
  const groups = groupsOf(types, wanted.trim().toLowerCase());
  return (
    <fieldset className="picker">
      <legend>Events</legend>
      <label className="check">
        <input type="checkbox" checked={isAll} onChange={() => onChange(isAll ? [] : ["*"])} />
        <span>Every event, also of types to come</span>
      </label>
      {!isAll && (
        <>
          <SearchInput label="Find a type of event" value={wanted} onChange={setWanted} />
          <div className="choices">
            {[...groups].map(([group, members]) => (
              <Group
                key={group + (wanted === "" ? "" : " found")}
                group={group}
                types={members}
                chosen={chosen}
                onChange={onChange}
              />
            ))}
            {groups.size === 0 && <p className="quiet">There is no such type</p>}
          </div>
          <p className="hint">{chosen.length === 0 ? NO_EVENT : chosen.join(", ")}</p>
        </>
      )}
    </fieldset>
  );
}

// What the traffic is narrowed by, and what it is split by.
import { useId } from "react";
import type { ReactNode } from "react";
import type { Choice } from "../../../parts/choices.ts";
import { Filter, Select } from "../../../parts/select.tsx";
import { sentence } from "../../../parts/sentence.ts";
import { DECISION_NAMES } from "../action-words.ts";
import { BYS, BY_NAMES } from "./traffic-query.ts";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";

const DECISIONS: readonly Choice[] = Object.entries(DECISION_NAMES).map(([value, name]) => [value, sentence(name)]);

interface Props {
  readonly view: TrafficView;
  readonly change: ChangeView;
  readonly nameOf: (by: By, value: string) => string;
  /** Of the active configuration. */
  readonly rules: readonly Choice[];
}

export function TrafficFilters({ view: { by, filters }, change, nameOf, rules }: Props): ReactNode {
  const id = useId();
  const choices: Readonly<Record<By, readonly Choice[]>> = { action: DECISIONS, rule: rules, host: [], client: [] };
  return (
    <search className="filters">
      {BYS.map((one) => {
        const value = filters[one];
        // An unknown host is a value, too.
        const shown = value === null ? "" : nameOf(one, value);
        return (
          <Filter
            key={one}
            label={BY_NAMES[one]}
            choices={[...choices[one].filter(([each]) => each !== value), ...(shown ? [[shown, shown] as const] : [])]}
            value={shown}
            isFree={one === "host" || one === "client"}
            onChange={(next) => change({ [one]: next || null })}
          />
        );
      })}
      <div className="choice end">
        <label className="quiet" htmlFor={id}>
          By
        </label>
        <Select
          id={id}
          choices={BY_NAMES}
          value={by}
          onChange={(next) => change({ by: next === "action" ? null : next })}
        />
      </div>
    </search>
  );
}

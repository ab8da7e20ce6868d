// The time range, the dimension and the filters of the page of traffic.
import { useId } from "react";
import type { ReactNode } from "react";
import { TEXTS, fill } from "../../../texts.ts";
import { Button } from "../../../parts/button.tsx";
import { BYS } from "./traffic-query.ts";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";

const T = TEXTS.firewallTraffic;
const { log, ...DECISIONS } = TEXTS.firewallTry.actions;
/** Which of the choices need not be in the address. */
const DEFAULTS: readonly string[] = ["day", "action", "outcomes"];

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly choices: Readonly<Record<string, string>>;
  readonly onChange: (value: string | null) => void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps): ReactNode {
  const id = useId();
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={value}
        onChange={({ target }) => onChange(DEFAULTS.includes(target.value) ? null : target.value)}
      >
        {Object.entries(choices).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

interface Props {
  readonly view: TrafficView;
  readonly change: ChangeView;
  readonly nameOf: (by: By, value: string) => string;
  readonly again: () => void;
  readonly isBusy: boolean;
}

export function TrafficFilters({ view, change, nameOf, again, isBusy }: Props): ReactNode {
  const { range, by, counted, filters } = view;
  return (
    <search className="tools">
      <Choice label={T.range} value={range} choices={T.ranges} onChange={(value) => change({ range: value })} />
      <Choice label={T.by} value={by} choices={T.bys} onChange={(value) => change({ by: value })} />
      <Choice label={T.count} value={counted} choices={T.counts} onChange={(value) => change({ count: value })} />
      <Choice
        label={T.action}
        value={filters.action ?? ""}
        choices={{ "": T.everyAction, ...DECISIONS, ...(counted === "outcomes" && { log }) }}
        onChange={(value) => change({ action: value || null })}
      />
      {BYS.filter((one) => one !== "action" && filters[one] !== null).map((one) => (
        <Button key={one} kind="plain" onClick={() => change({ [one]: null })}>
          {fill(T.without, { name: T.bys[one], value: nameOf(one, filters[one] ?? "") })} ×
        </Button>
      ))}
      <Button kind="plain" busy={isBusy} onClick={again}>
        {T.again}
      </Button>
    </search>
  );
}

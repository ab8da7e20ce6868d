// The time range, the dimension and the filters of the page of traffic.
import { useId } from "react";
import type { ReactNode } from "react";
import { Button } from "../../../parts/button.tsx";
import { DECISION_NAMES } from "../action-words.ts";
import { BYS, BY_NAMES } from "./traffic-query.ts";
import type { By, ChangeView, TrafficView } from "./traffic-query.ts";
import { Select } from "../../../parts/select.tsx";

const RANGES = { hour: "the last hour", day: "the last 24 hours", week: "the last 7 days" };
const COUNTS = { outcomes: "every outcome", decisions: "decisions without what was only logged" };
const { log, ...DECISIONS } = DECISION_NAMES;
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
      <Select
        id={id}
        choices={choices}
        value={value}
        onChange={(next) => onChange(DEFAULTS.includes(next) ? null : next)}
      />
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
      <Choice label="Time" value={range} choices={RANGES} onChange={(value) => change({ range: value })} />
      <Choice label="By" value={by} choices={BY_NAMES} onChange={(value) => change({ by: value })} />
      <Choice label="Count" value={counted} choices={COUNTS} onChange={(value) => change({ count: value })} />
      <Choice
        label="Action"
        value={filters.action ?? ""}
        choices={{ "": "Every action", ...DECISIONS, ...(counted === "outcomes" && { log }) }}
        onChange={(value) => change({ action: value || null })}
      />
      {BYS.filter((one) => one !== "action" && filters[one] !== null).map((one) => (
        <Button key={one} kind="plain" onClick={() => change({ [one]: null })}>
          Without the filter {BY_NAMES[one]}: {nameOf(one, filters[one] ?? "")} ×
        </Button>
      ))}
      <Button kind="plain" busy={isBusy} onClick={again}>
        Read again
      </Button>
    </search>
  );
}

// Two to four modes that need a sentence each; some can be on together.
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";

export interface Pick {
  readonly label: string;
  readonly about: string;
  readonly icon: LucideIcon;
  readonly isOn: boolean;
  /** It alone cannot be pressed yet. */
  readonly busy?: boolean;
  readonly onPick: () => void;
}

interface Props {
  readonly label: string;
  readonly picks: readonly Pick[];
  /** Why none can be pressed; null: they can. */
  readonly whyNot: string | null;
  readonly busy: boolean;
}

export function Picks({ label, picks, whyNot, busy }: Props): ReactNode {
  return (
    <fieldset className="picks" aria-label={label}>
      {picks.map(({ label: name, about, icon: Icon, isOn, busy: isBusy = busy, onPick }) => (
        <Button key={name} kind="plain" aria-pressed={isOn} disabledBecause={whyNot} busy={isBusy} onClick={onPick}>
          <Icon className="i" />
          <strong>{name}</strong>
          <span className="small">{about}</span>
        </Button>
      ))}
    </fieldset>
  );
}

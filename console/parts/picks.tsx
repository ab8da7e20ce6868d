// Two to four modes that need a sentence each; some can be on together.
import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export interface Pick {
  readonly label: string;
  readonly about: string;
  readonly icon: LucideIcon;
  readonly isOn: boolean;
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
  const isOff = whyNot !== null || busy;
  return (
    <fieldset className="picks" aria-label={label}>
      {picks.map(({ label: name, about, icon: Icon, isOn, onPick }) => (
        <button
          key={name}
          type="button"
          aria-pressed={isOn}
          aria-disabled={isOff || undefined}
          aria-busy={busy || undefined}
          aria-description={whyNot ?? undefined}
          onClick={() => isOff || onPick()}
        >
          <Icon className="i" />
          <strong>{name}</strong>
          <span className="small">{about}</span>
        </button>
      ))}
    </fieldset>
  );
}

// Moves rules in the draft: by drag, or by keys while a rule is held. The new place is shown at once, and stored when the rule is let go.
import { useState } from "react";
import { useStage } from "../firewall-config.ts";
import type { Change, Config, Rule } from "../config-types.ts";

interface Placed {
  readonly id: string;
  /** From 0. */
  readonly to: number;
  /** By the keyboard; else it is being stored. */
  readonly isHeld: boolean;
}

export interface Order {
  /** In the order that is shown. */
  readonly rules: readonly Rule[];
  readonly heldId: string | null;
  readonly said: string;
  readonly error: Error | null;
  readonly isBusy: boolean;
  hold(id: string): void;
  /** Of the one that is held, by so many places. */
  move(by: number): void;
  letGo(): void;
  cancel(): void;
  drop(id: string, to: number): void;
}

function placed(rules: readonly Rule[], place: Placed | null): readonly Rule[] {
  const from = place ? rules.findIndex(({ id }) => id === place.id) : -1;
  if (!place || from === -1) return rules;
  return rules.toSpliced(from, 1).toSpliced(place.to, 0, rules[from] as Rule);
}

export function useOrder(config: Config): Order {
  const stage = useStage();
  const [place, setPlace] = useState<Placed | null>(null);
  const [said, say] = useState("");
  const { rules } = config;
  const nameOf = (id: string): string => rules.find((one) => one.id === id)?.name ?? "";
  const indexOf = (id: string): number => rules.findIndex((one) => one.id === id);
  const at = (to: number): string => `${to + 1} of ${rules.length}`;
  const store = (id: string, to: number): void => {
    const change = (found: Config | null): Change | null =>
      found?.rules[to]?.id === id ? null : { action: "rules.priority", id, value: to };
    setPlace({ id, to, isHeld: false });
    stage.mutate(
      { change },
      {
        onSuccess: () => say(`${nameOf(id)} is now ${at(to)}`),
        onSettled: () => setPlace(null),
      },
    );
  };
  const held = place?.isHeld ? place : null;
  return {
    rules: placed(rules, place),
    heldId: held?.id ?? null,
    said,
    error: stage.error,
    isBusy: stage.isPending,
    hold(id) {
      const to = indexOf(id);
      setPlace({ id, to, isHeld: true });
      say(`${nameOf(id)} is held, ${at(to)}. Up and down move it, Space lets it go, Escape puts it back.`);
    },
    move(by) {
      const to = held ? held.to + by : -1;
      if (!held || to < 0 || to >= rules.length) return;
      setPlace({ ...held, to });
      say(`${nameOf(held.id)}, ${at(to)}`);
    },
    letGo() {
      if (!held) return;
      if (held.to === indexOf(held.id)) this.cancel();
      else store(held.id, held.to);
    },
    cancel() {
      if (!held) return;
      setPlace(null);
      say(`${nameOf(held.id)} stays ${at(indexOf(held.id))}`);
    },
    drop(id, to) {
      if (indexOf(id) !== -1 && indexOf(id) !== to) store(id, to);
    },
  };
}

// Attack challenge mode as responses and events show it.
import type { AttackMode } from "../../teams/projects/attack-mode-rules.ts";

type Shown = Pick<AttackMode, "isEnabled" | "activeUntil">;

export function publicMode({ isEnabled, activeUntil }: Shown) {
  return { attackModeEnabled: isEnabled, attackModeActiveUntil: activeUntil };
}

export function eventPayload(projectId: string, previous: Shown, next: Shown) {
  return {
    projectId,
    attackModeEnabled: next.isEnabled,
    ...(next.activeUntil === null ? {} : { attackModeActiveUntil: next.activeUntil }),
    prevAttackModeEnabled: previous.isEnabled,
    ...(previous.activeUntil === null ? {} : { prevAttackModeActiveUntil: previous.activeUntil }),
  };
}

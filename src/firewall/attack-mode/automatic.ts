// Switches attack challenge mode for the automatic, which decides when (traffic/automatic/). What a person has set stays.
import { HOUR_MS } from "../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import type { ProjectKey } from "../../platform/kernel/project.ts";
import { attackModeAt } from "../../teams/projects/attack-mode-rules.ts";
import type { AttackMode } from "../../teams/projects/attack-mode-rules.ts";
import { systemAct } from "../../events/events/system.ts";
import { recordEnd } from "./end.ts";
import { findMode, putMode } from "./store.ts";
import type { SetBy } from "./store.ts";
import { eventPayload, publicMode } from "./view.ts";

/** For so long the mode is not switched on after a person has switched it off: they know better. */
const RESPECT_MS = HOUR_MS;

export interface AutomaticState extends AttackMode {
  /** It is on, and no person has set it since the automatic has switched it on. */
  readonly isAutomatic: boolean;
  /** Until then it is not switched on, because a person has switched it off; null: it may be. */
  readonly pausedUntil: number | null;
}

export async function readAutomaticState(
  tx: Tx,
  { ownerId, projectId }: ProjectKey,
  now: number,
): Promise<AutomaticState> {
  const row = await findMode(tx, { ownerId, projectId });
  const mode = attackModeAt(row, now);
  const setBy = row?.setBy as SetBy | undefined;
  const pausedUntil = row && row.isEnabled === 0 && setBy === "person" ? row.updatedAt + RESPECT_MS : 0;
  return {
    ...mode,
    isAutomatic: mode.isEnabled && setBy === "automatic",
    pausedUntil: pausedUntil > now ? pausedUntil : null,
  };
}

/** Why the automatic switches the mode on: the rest of a sentence, and the figures for programs. */
export interface SwitchReason {
  readonly text: string;
  readonly figures: Readonly<Record<string, unknown>>;
}

/**
 * Switches the mode on until a time, or puts off the end of one that the automatic has switched on. The project has to exist. The
 * caller has the owner's lock.
 */
export async function switchOnUntil(
  tx: Tx,
  { ownerId, projectId }: ProjectKey,
  activeUntil: number,
  { text, figures }: SwitchReason,
  now: number,
): Promise<void> {
  await recordEnd(tx, ownerId, projectId, now);
  const previous = await readAutomaticState(tx, { ownerId, projectId }, now);
  if (previous.isEnabled && !previous.isAutomatic) return;
  const next = { isEnabled: true, activeUntil };
  const enabledAt = previous.since ?? now;
  await putMode(tx, { ownerId, projectId, isEnabled: 1, activeUntil, enabledAt, setBy: "automatic", now });
  const what = previous.isEnabled ? "kept attack challenge mode of" : "switched attack challenge mode of";
  await emit(tx, systemAct(now), {
    type: "attack-mode-enabled",
    ownerId,
    entityId: projectId,
    text: `${what} ${projectId} on until ${new Date(activeUntil).toISOString()}, because ${text}`,
    payload: { ...eventPayload(projectId, previous, next), reason: text, ...figures },
    previous: publicMode(previous),
    next: publicMode(next),
  });
}

// Reads the state of a project's attack challenge mode. Other resources use it too.
import type { Tx } from "../../platform/kernel/tx.ts";
import { attackModeAt } from "../../teams/projects/attack-mode-rules.ts";
import type { AttackMode } from "../../teams/projects/attack-mode-rules.ts";
import { findMode } from "./store.ts";

export async function readAttackMode(tx: Tx, ownerId: string, projectId: string, now: number): Promise<AttackMode> {
  return attackModeAt(await findMode(tx, { ownerId, projectId }), now);
}

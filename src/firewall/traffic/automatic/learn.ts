// Learns again what is usual, as a background job.
import { HOUR_MS } from "../../../platform/kernel/scheduling/clock.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { forFirstOwner } from "../../../events/events/first-owner.ts";
import type { ProjectKey } from "../../../platform/kernel/project.ts";
import { learnUsual } from "./automatic-rules.ts";
import { readHistory } from "./minutes.ts";
import { findAutomatic, listToLearn, putLearned } from "./store.ts";

const LEARN_EVERY_MS = HOUR_MS;

/** What is usual by now, as it is stored. */
export async function learn(tx: Tx, project: ProjectKey, now: number) {
  const { since, figures } = learnUsual(await readHistory(tx, project, now));
  return { ...figures, historySince: since, learnedAt: now };
}

/** Whether `learnUsualTraffic` has work to do. This only reads. */
export async function isAnyLearningDue(reader: Tx, now: number): Promise<boolean> {
  return (await listToLearn(reader, { before: now - LEARN_EVERY_MS, limit: 1 })).length > 0;
}

/** Learns for one project. Returns how many projects it handled. */
export async function learnUsualTraffic(tx: Tx, _input: null, now: number): Promise<number> {
  const before = now - LEARN_EVERY_MS;
  return await forFirstOwner(tx, await listToLearn(tx, { before, limit: 1 }), async (item) => {
    const project = { ownerId: item.ownerId, projectId: item.projectId };
    const row = await findAutomatic(tx, project);
    // Another process may have been first.
    if (!row || row.learnedAt > before) return false;
    await putLearned(tx, { ...project, ...(await learn(tx, project, now)) });
    return true;
  });
}

// Handlers of attack challenge mode that switches itself.
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { requireRevision } from "../../../platform/kernel/revision.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { readAutomaticState } from "../../attack-mode/automatic.ts";
import { emit } from "../../../events/events/emit.ts";
import { beginProject } from "../../../teams/projects/existence.ts";
import { projectKeyOf } from "../../../platform/kernel/project.ts";
import type { ProjectKey } from "../../../platform/kernel/project.ts";
import { lastUnusual, learnUsual, limitOf } from "./automatic-rules.ts";
import type { Figures, Finding, History, Measure, Minute, Usual } from "./automatic-rules.ts";
import type { automaticContract } from "./contract.ts";
import { learn } from "./learn.ts";
import { readHistory, readLatest } from "./minutes.ts";
import { findAutomatic, putAutomatic } from "./store.ts";
import { usualFigures } from "./switch.ts";

type Row = Awaited<ReturnType<typeof findAutomatic>>;

/** What is in force, or what would be. */
function usualBy(row: Row, history: History): Usual {
  if (row?.isEnabled === 1) return { since: row.historySince, figures: usualFigures(row) };
  return learnUsual(history);
}

function shownFigures(measure: Measure, { [measure]: usual }: Figures, latest: readonly Minute[]) {
  const responses = Math.max(0, ...latest.map((minute) => minute.responses));
  const values = latest.flatMap((minute) => minute[measure] ?? []);
  const isMeasured = measure === "requests" || responses > 0;
  return {
    usual,
    limit: usual === null ? null : limitOf(measure, usual, responses),
    latest: isMeasured && values.length > 0 ? Math.max(...values) : null,
  };
}

function publicFinding({ minute: at, ...rest }: Finding) {
  return { at, ...rest };
}

async function show(tx: Tx, project: ProjectKey, now: number) {
  const row = await findAutomatic(tx, project);
  const history = await readHistory(tx, project, now);
  const { since, figures } = usualBy(row, history);
  const unusual = lastUnusual(history, figures);
  const latest = await readLatest(tx, project, now);
  const { isAutomatic, pausedUntil } = await readAutomaticState(tx, project, now);
  const isEnabled = row?.isEnabled === 1;
  return {
    enabled: isEnabled,
    updatedAt: row?.updatedAt ?? null,
    isOn: isAutomatic,
    pausedUntil,
    knownSince: since,
    learnedAt: isEnabled ? row.learnedAt : null,
    requests: shownFigures("requests", figures, latest),
    errors: shownFigures("errors", figures, latest),
    latencyMs: shownFigures("latency", figures, latest),
    lastUnusual: unusual && publicFinding(unusual),
    revision: row?.revision ?? 0,
  };
}

export const automaticService: Implements<typeof automaticContract> = {
  getAutomaticAttackMode: async (tx, call) => await show(tx, projectKeyOf(call), call.now),

  async setAutomaticAttackMode(tx: Tx, call: Call<typeof automaticContract.setAutomaticAttackMode>) {
    const { body, now } = call;
    const project = projectKeyOf(call);
    const row = await findAutomatic(tx, project);
    requireRevision(call, row?.revision ?? 0);
    const isEnabled = row?.isEnabled === 1;
    if (isEnabled !== body.enabled) {
      await beginProject(tx, call, project.projectId);
      await putAutomatic(tx, { ...project, isEnabled: body.enabled ? 1 : 0, now, ...(await learn(tx, project, now)) });
      const does = body.enabled ? "lets attack challenge mode of" : "no longer lets attack challenge mode of";
      await emit(tx, call, {
        type: body.enabled ? "attack-mode-automatic-enabled" : "attack-mode-automatic-disabled",
        ownerId: project.ownerId,
        entityId: project.projectId,
        text: `${does} ${project.projectId} switch itself`,
        payload: { projectId: project.projectId, enabled: body.enabled },
        previous: { enabled: isEnabled },
        next: { enabled: body.enabled },
      });
    }
    return await show(tx, project, now);
  },
};

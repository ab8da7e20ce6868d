// Handlers of attack challenge mode.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { fieldError } from "../../platform/kernel/errors.ts";
import { requireFuture } from "../../platform/kernel/expiry.ts";
import { requireRevision } from "../../platform/kernel/revision.ts";
import { emit } from "../../events/events/emit.ts";
import { beginProject } from "../../teams/projects/existence.ts";
import { projectOf } from "../../platform/kernel/project.ts";
import { MAX_DAYS_ON } from "./contract.ts";
import type { attackModeContract } from "./contract.ts";
import { recordEnd } from "./end.ts";
import { readAttackMode } from "./state.ts";
import { putMode } from "./store.ts";
import { eventPayload, publicMode } from "./view.ts";

type SetCall = Call<typeof attackModeContract.setAttackMode>;

/** The project of the body, else of the query. Throws when they differ. */
function readProject({ body, query }: SetCall): string {
  if (body.projectId !== undefined && query.projectId !== undefined && body.projectId !== query.projectId) {
    throw fieldError("bad_request", "body.projectId", "expected the same project as in the query");
  }
  return projectOf(body.projectId === undefined ? query : body);
}

function readMode({ body: { attackModeEnabled: isEnabled, attackModeActiveUntil: activeUntil = null }, now }: SetCall) {
  const field = "body.attackModeActiveUntil";
  if (!isEnabled && activeUntil !== null) {
    throw fieldError("invalid_expiry", field, "expected none when attack challenge mode is switched off");
  }
  requireFuture(activeUntil, now, { field, atMostDays: MAX_DAYS_ON });
  return { isEnabled, activeUntil };
}

export const attackModeService: Implements<typeof attackModeContract> = {
  async getAttackMode(tx, { scope, query, now }) {
    const mode = await readAttackMode(tx, scope.ownerId, projectOf(query), now);
    return { ...publicMode(mode), attackModeUpdatedAt: mode.updatedAt, revision: mode.revision };
  },

  async setAttackMode(tx, call) {
    const { scope, now } = call;
    const { ownerId } = scope;
    const projectId = readProject(call);
    const next = readMode(call);
    await recordEnd(tx, ownerId, projectId, now);
    const previous = await readAttackMode(tx, ownerId, projectId, now);
    requireRevision(call, previous.revision);
    if (previous.isEnabled === next.isEnabled && previous.activeUntil === next.activeUntil) {
      return { ...publicMode(next), attackModeUpdatedAt: previous.updatedAt ?? 0, revision: previous.revision };
    }
    await beginProject(tx, call, projectId);
    await putMode(tx, {
      ownerId,
      projectId,
      isEnabled: next.isEnabled ? 1 : 0,
      activeUntil: next.activeUntil,
      enabledAt: next.isEnabled ? (previous.since ?? now) : null,
      setBy: "person",
      now,
    });
    const until = next.activeUntil === null ? "" : ` until ${new Date(next.activeUntil).toISOString()}`;
    await emit(tx, call, {
      type: next.isEnabled ? "attack-mode-enabled" : "attack-mode-disabled",
      ownerId,
      entityId: projectId,
      text: `switched attack challenge mode of ${projectId} ${next.isEnabled ? `on${until}` : "off"}`,
      payload: eventPayload(projectId, previous, next),
      previous: publicMode(previous),
      next: publicMode(next),
    });
    return { ...publicMode(next), attackModeUpdatedAt: now, revision: previous.revision + 1 };
  },
};

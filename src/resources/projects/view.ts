// Projects as answers show them.
import { attackModeAt } from "./attack-mode-rules.ts";
import type { ProjectRow } from "./store.ts";

function attackModeOf(row: ProjectRow, now: number) {
  const { mode_is_enabled, mode_active_until, mode_updated_at, mode_revision } = row;
  if (mode_is_enabled === null || mode_updated_at === null || mode_revision === null) {
    return attackModeAt(undefined, now);
  }
  const stored = { is_enabled: mode_is_enabled, active_until: mode_active_until, updated_at: mode_updated_at };
  return attackModeAt({ ...stored, revision: mode_revision }, now);
}

/** `row` is undefined when nothing is stored under the name. */
export function publicProject(accountId: string, id: string, row: ProjectRow | undefined, now: number) {
  if (!row) {
    const security = { attackModeEnabled: false, attackModeActiveUntil: null, firewallEnabled: false };
    return { id, name: id, accountId, security };
  }
  const mode = attackModeOf(row, now);
  const { firewall_version: version, firewall_activated_at: activatedAt, draft_updated_at: draftedAt } = row;
  return {
    id,
    name: id,
    accountId,
    createdAt: row.created_at,
    updatedAt: Math.max(row.created_at, mode.updatedAt ?? 0, activatedAt ?? 0, draftedAt ?? 0),
    security: {
      attackModeEnabled: mode.isEnabled,
      ...(mode.updatedAt === null ? {} : { attackModeUpdatedAt: mode.updatedAt }),
      attackModeActiveUntil: mode.activeUntil,
      firewallEnabled: row.firewall_is_enabled === 1,
      ...(activatedAt === null ? {} : { firewallUpdatedAt: activatedAt }),
      ...(version === null ? {} : { firewallConfigVersion: version }),
    },
  };
}

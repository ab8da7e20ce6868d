// The handlers of sessions.
import type { Implements } from "../../platform/kernel/contract.ts";
import { notFound } from "../../platform/kernel/errors.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import { requireAccount } from "../accounts/service.ts";
import type { sessionsContract } from "./contract.ts";
import { endOtherSessions, endSession } from "./end.ts";
import type { SignInMethod } from "./open.ts";
import { IDLE_MS, LIFETIME_MS, describeDevice, endOfSession } from "./rules.ts";
import { findSession, listSessions } from "./store.ts";
import type { SessionRow } from "./store.ts";

function viewSession(row: SessionRow, currentId: string | null) {
  const { id, userAgent, ip, createdAt, activeAt, provedAt } = row;
  return {
    id,
    device: describeDevice(userAgent),
    userAgent,
    ip,
    method: row.method as SignInMethod,
    isCurrent: id === currentId,
    createdAt,
    activeAt,
    provedAt,
    expiresAt: endOfSession({ createdAt, activeAt }),
  };
}

/** Withdraws the links that sign in to an account, and what else waits for its owner: a later resource's. */
export type WithdrawLinks = (tx: Tx, userId: string) => Promise<void>;

export function createSessionsService(withdrawLinks: WithdrawLinks): Implements<typeof sessionsContract> {
  return {
    async listSessions(tx, call) {
      const { id: userId } = requireAccount(call);
      const bounds = paginationBounds(call.query);
      const live = { userId, createdAfter: call.now - LIFETIME_MS, activeAfter: call.now - IDLE_MS };
      const { items, page } = paginate(await listSessions(tx, live, bounds), bounds);
      return { sessions: items.map((row) => viewSession(row, call.caller.credentialId)), pagination: page, page };
    },

    async deleteSession(tx, call) {
      const { id: userId } = requireAccount(call);
      const { sessionId } = call.params;
      const row = await findSession(tx, {
        userId,
        id: sessionId === "current" ? (call.caller.credentialId as string) : sessionId,
      });
      if (!row) throw notFound("Session");
      await endSession(tx, call, row);
      return { id: row.id };
    },

    async deleteSessions(tx, call) {
      const { id: userId } = requireAccount(call);
      const exceptId = call.query.keepCurrent && call.caller.provedAt !== null ? call.caller.credentialId : null;
      const ended = await endOtherSessions(tx, call, userId, exceptId);
      await withdrawLinks(tx, userId);
      return { ended };
    },
  };
}

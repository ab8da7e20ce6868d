// Issuing an access token: for its user, for the first start, and for the command line.
import { createCredential } from "../../kernel/credential.ts";
import type { NewCredential } from "../../kernel/credential.ts";
import { newId } from "../../kernel/ids.ts";
import { positionAt } from "../../kernel/pagination.ts";
import type { Tx } from "../../kernel/tx.ts";
import { emit } from "../events/emit.ts";
import type { Act } from "../events/emit.ts";
import { insertToken } from "./store.ts";

export interface TokenOrder {
  readonly userId: string;
  readonly name: string;
  /** The one team that the token is limited to. */
  readonly teamId?: string | null;
  /** ms; null or absent: never. */
  readonly expiresAt?: number | null;
  /** A credential that the operator chose; otherwise a new one. */
  readonly credential?: NewCredential;
}

/** Stores a new token and records the event; `value` is shown once and never again. */
export async function issueToken(
  tx: Tx,
  act: Act,
  order: TokenOrder,
): Promise<{ readonly id: string; readonly value: string }> {
  const { userId, name, teamId = null, expiresAt = null, credential = createCredential("token") } = order;
  const { hash, prefix, suffix, value } = credential;
  const id = newId("token");
  await insertToken(tx, {
    id,
    userId,
    hash,
    name,
    prefix,
    suffix,
    origin: "manual",
    teamId,
    expiresAt,
    now: act.now,
    position: positionAt(act.now),
  });
  await emit(tx, act, {
    type: "user-token-created",
    ownerId: userId,
    entityId: id,
    text: `created access token ${name}`,
    payload: {
      tokenId: id,
      tokenName: name,
      scope: teamId === null ? "user" : "team",
      origin: "manual",
      tokenPrefix: prefix,
      tokenSuffix: suffix,
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(teamId === null ? {} : { teamId }),
    },
  });
  return { id, value };
}

// The handlers of the ways to sign in.
import type { Account, Origin } from "../../platform/kernel/caller.ts";
import type { Implements } from "../../platform/kernel/contract.ts";
import { notFound } from "../../platform/kernel/errors.ts";
import { paginate, paginationBounds } from "../../platform/kernel/pagination.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { emit } from "../../events/events/emit.ts";
import { requireAccount } from "../accounts/service.ts";
import type { signInContract } from "./contract.ts";
import { deleteIdentity, findIdentity, listIdentities } from "./identities/store.ts";
import type { IdentityRow } from "./identities/store.ts";
import { requireOtherMethod } from "./methods.ts";
import { deletePasskey, findPasskey, listPasskeys, renamePasskey } from "./passkey-store.ts";
import type { PasskeyRow } from "./passkey-store.ts";
import { createChallenge, findCredentialIds, viewPasskey } from "./passkeys.ts";
import { countCodes, createCodes } from "./codes/recovery-codes.ts";
import { deletePassword, findPassword } from "./store.ts";

function viewIdentity({ id, provider, issuer, subject, email, createdAt, usedAt }: IdentityRow) {
  return { id, provider, issuer, subject, email, createdAt, usedAt };
}

async function getPasskey(tx: Tx, userId: string, id: string): Promise<PasskeyRow> {
  const row = await findPasskey(tx, { userId, id });
  if (!row) throw notFound("Passkey");
  return row;
}

/** What the effect of setting a password is given; src/identity/sign-in/ hashes it outside of the transaction. */
export interface PasswordChange {
  readonly account: Account;
  readonly sessionId: string | null;
  readonly password: string;
  readonly origin: Origin;
}

/** What the effect of asking for a new passkey is given. */
export interface PasskeyAsked {
  readonly account: Account;
  readonly challenge: string;
  /** Credentials that the account has. */
  readonly exclude: readonly string[];
}

/** What the effect of adding a passkey is given: its signature is verified outside of the transaction. */
export interface PasskeyMade {
  readonly account: Account;
  readonly credential: unknown;
  readonly name: string;
  readonly origin: Origin;
}

export const signInService: Implements<typeof signInContract> = {
  async listPasskeys(tx, call) {
    const bounds = paginationBounds(call.query);
    const { items, page } = paginate(await listPasskeys(tx, { userId: requireAccount(call).id }, bounds), bounds);
    return { passkeys: items.map(viewPasskey), pagination: page, page };
  },

  async createPasskeyOptions(tx, call) {
    const account = requireAccount(call);
    const challenge = await createChallenge(tx, { purpose: "passkey-new", userId: account.id }, call.now);
    const exclude = await findCredentialIds(tx, account.id);
    return { effect: { account, challenge, exclude } satisfies PasskeyAsked };
  },

  createPasskey(_tx, call) {
    const { credential, name = "" } = call.body;
    return { effect: { account: requireAccount(call), credential, name, origin: call.origin } satisfies PasskeyMade };
  },

  async renamePasskey(tx, call) {
    const { id: userId } = requireAccount(call);
    const { name } = call.body;
    const row = await getPasskey(tx, userId, call.params.passkeyId);
    await renamePasskey(tx, { userId, id: row.id, name });
    await emit(tx, call, {
      type: "passkey-updated",
      ownerId: userId,
      entityId: row.id,
      text: `renamed the passkey ${row.name} to ${name}`,
      payload: { uid: userId, passkeyId: row.id, name },
      previous: { name: row.name },
      next: { name },
    });
    return { passkey: viewPasskey({ ...row, name }) };
  },

  async deletePasskey(tx, call) {
    const { id: userId } = requireAccount(call);
    const { id, name } = await getPasskey(tx, userId, call.params.passkeyId);
    await deletePasskey(tx, { userId, id });
    await requireOtherMethod(tx, userId, call.instance);
    await emit(tx, call, {
      type: "passkey-deleted",
      ownerId: userId,
      entityId: id,
      text: `removed the passkey ${name}`,
      payload: { uid: userId, passkeyId: id, name },
    });
    return { id };
  },

  async listIdentities(tx, call) {
    const bounds = paginationBounds(call.query);
    const { items, page } = paginate(await listIdentities(tx, { userId: requireAccount(call).id }, bounds), bounds);
    // The providers can change without a change in the store. Reading the time keeps the response out of the cache.
    const { instance, now: _now } = call;
    return { identities: items.map(viewIdentity), providers: [...instance.providers], pagination: page, page };
  },

  async deleteIdentity(tx, call) {
    const { id: userId } = requireAccount(call);
    const row = await findIdentity(tx, { userId, id: call.params.identityId });
    if (!row) throw notFound("Identity");
    const { id, provider, issuer, subject, email } = row;
    await deleteIdentity(tx, { userId, id });
    await requireOtherMethod(tx, userId, call.instance);
    await emit(tx, call, {
      type: "login-connection-unlinked",
      ownerId: userId,
      entityId: id,
      text: `disconnected ${email ?? subject} at ${provider}`,
      payload: { uid: userId, identityId: id, provider, issuer, subject, email },
    });
    return { id };
  },

  async getPassword(tx, call) {
    const found = await findPassword(tx, { userId: requireAccount(call).id });
    return {
      isSet: found !== undefined,
      changedAt: found?.changedAt ?? null,
      isEnabled: call.instance.hasPasswords,
    };
  },

  setPassword(_tx, call) {
    const { caller, body, origin } = call;
    return {
      effect: { account: requireAccount(call), sessionId: caller.credentialId, password: body.password, origin },
    };
  },

  async deletePassword(tx, call) {
    const { id: userId } = requireAccount(call);
    if ((await deletePassword(tx, { userId })) === 0) throw notFound("Password");
    await requireOtherMethod(tx, userId, call.instance);
    await emit(tx, call, {
      type: "password-updated",
      ownerId: userId,
      entityId: userId,
      text: "removed the password",
      payload: { uid: userId },
    });
    return { isSet: false, changedAt: null };
  },

  async getRecoveryCodes(tx, call) {
    return { remaining: await countCodes(tx, requireAccount(call).id) };
  },

  async createRecoveryCodes(tx, call) {
    return { codes: await createCodes(tx, call, requireAccount(call).id) };
  },
};

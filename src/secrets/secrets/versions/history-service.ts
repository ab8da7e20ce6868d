// Handlers of the versions and former names of secrets.
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { ApiError, notFound } from "../../../platform/kernel/errors.ts";
import { paginate, paginationBounds } from "../../../platform/kernel/pagination.ts";
import type { PageBounds } from "../../../platform/kernel/pagination.ts";
import type { Awaitable, Tx } from "../../../platform/kernel/tx.ts";
import { emit } from "../../../events/events/emit.ts";
import { addVersion } from "../change.ts";
import { getSecret, getSecretForChange, getVersion, requireVersion, changedRow, updating } from "../find.ts";
import type { secretHistoryContract } from "./history-contract.ts";
import { endAlias, listNames } from "../names-store.ts";
import { reveal } from "../reveal.ts";
import { nameKey } from "../rules.ts";
import { countNameChange } from "../store.ts";
import { withValue } from "../value.ts";
import { listVersions } from "./versions-store.ts";
import { secretResponse, eventPayload, publicVersion } from "../view.ts";

type List<R> = (tx: Tx, params: { ownerId: string; secretId: string }, bounds: PageBounds) => Awaitable<readonly R[]>;

/** One page of a list that belongs to the secret in the path. */
async function readPage<R extends { position: number }>(
  tx: Tx,
  call: Call<typeof secretHistoryContract.listSecretVersions | typeof secretHistoryContract.listSecretNames>,
  list: List<R>,
) {
  const bounds = paginationBounds(call.query);
  const { id: secretId, ownerId } = await getSecret(tx, call, call.params.name);
  return paginate(await list(tx, { ownerId, secretId }, bounds), bounds);
}

export const secretHistoryService: Implements<typeof secretHistoryContract> = {
  async listSecretVersions(tx, call) {
    const { items, page } = await readPage(tx, call, listVersions);
    return { versions: items.map(publicVersion), pagination: page, page };
  },

  async getSecretVersion(tx, call) {
    const secret = await getSecret(tx, call, call.params.name);
    const row = await getVersion(tx, secret, Number(call.params.version));
    if (!call.query.decrypt) return publicVersion(row);
    const revealed = await reveal(tx, call, secret, row.version, row);
    return revealed instanceof ApiError ? revealed : { ...publicVersion(row), ...revealed };
  },

  async restoreSecretVersion(tx, call) {
    const secret = await getSecretForChange(tx, call, call.params.name);
    requireVersion(call.body?.expectedVersion, secret.version);
    const row = await getVersion(tx, secret, Number(call.params.version));
    return await withValue(tx, call, secret, row, (bytes) =>
      addVersion(tx, call, secret, { bytes, encoding: row.encoding, restoredFrom: row.version }),
    );
  },

  async listSecretNames(tx, call) {
    const { items, page } = await readPage(tx, call, listNames);
    const names = items.map(({ name, kind, begunAt, endedAt }) => ({
      name,
      kind,
      begunAt: begunAt,
      endedAt: endedAt,
    }));
    return { names, pagination: page, page };
  },

  async deleteSecretAlias(tx, call) {
    const { alias } = call.params;
    const row = await getSecretForChange(tx, call, call.params.name);
    const { id, ownerId } = row;
    if ((await endAlias(tx, { ownerId, secretId: id, nameKey: nameKey(alias) })) === 0) throw notFound("Alias");
    await countNameChange(tx, { ownerId, id, ...updating(call) });
    await emit(tx, call, {
      type: "secret-update",
      ownerId,
      entityId: id,
      text: `gave up the alias ${alias} of secret ${row.name}`,
      payload: eventPayload(row),
      previous: { alias },
    });
    return secretResponse(changedRow(row, call, { metadataVersion: row.metadataVersion + 1 }));
  },
};

// The handler of values of several secrets at once: one transaction, so that a refused one changes none.
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { fieldError } from "../../../platform/kernel/errors.ts";
import { requireNewName } from "../../../platform/kernel/limits.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { addVersion } from "../change.ts";
import { requireRoom, storeSecret } from "../create.ts";
import { findSecretForChange, requireVersion } from "../find.ts";
import { nameTaken } from "../names.ts";
import { decodeValue, nameKey } from "../rules.ts";
import type { SecretRow } from "../store.ts";
import { wiped } from "../value.ts";
import type { secretValuesContract } from "./contract.ts";

type SetCall = Call<typeof secretValuesContract.setSecretValues>;
type NewValue = SetCall["body"]["values"][number];

async function setValue(
  tx: Tx,
  call: SetCall,
  { name, value, encoding = "utf8" }: NewValue,
  row: SecretRow | undefined,
  field: string,
) {
  return await wiped(decodeValue(value, encoding, `${field}.value`), async (bytes) => {
    if (row) return await addVersion(tx, call, row, { bytes, encoding, restoredFrom: null });
    const { decryptable = false } = call.body;
    const { value: _echo, ...secret } = await storeSecret(
      tx,
      call,
      { name, settings: { decryptable }, field: `${field}.name` },
      { bytes, encoding },
    );
    return secret;
  });
}

const fieldAt = (at: number) => `body.values[${at}]`;

export const secretValuesService: Implements<typeof secretValuesContract> = {
  async setSecretValues(tx, call) {
    const { values } = call.body;
    const seen = new Set<string>();
    for (const [at, { name }] of values.entries()) {
      const key = nameKey(name);
      if (seen.has(key)) throw fieldError("bad_request", `${fieldAt(at)}.name`, "expected each name once");
      seen.add(key);
    }
    // Together, because statements travel to PostgreSQL.
    const found = await Promise.all(
      values.map(({ name }, at) => findSecretForChange(tx, call, name, `${fieldAt(at)}.name`)),
    );
    for (const [at, { row, hidden }] of found.entries()) {
      const { name, expectedVersion } = values[at] as NewValue;
      if (!row) requireNewName(call.caller, name, `${fieldAt(at)}.name`);
      requireVersion(expectedVersion, row?.version ?? 0, `${fieldAt(at)}.expectedVersion`);
      if (hidden) throw nameTaken(name, `${fieldAt(at)}.name`, hidden.isAlias);
    }
    await requireRoom(tx, call, found.filter(({ row }) => !row).length);
    const secrets = [];
    for (const [at, { row }] of found.entries()) {
      secrets.push(await setValue(tx, call, values[at] as NewValue, row, fieldAt(at)));
    }
    return { secrets };
  },
};

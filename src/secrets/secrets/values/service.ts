// The handler of values of several secrets at once: one transaction, so that a refused one changes none.
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { fieldError } from "../../../platform/kernel/errors.ts";
import { requireNewName } from "../../../platform/kernel/limits.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { addVersion } from "../change.ts";
import { addSecret } from "../create.ts";
import { findSecretForChange, requireVersion } from "../find.ts";
import { decodeValue, nameKey } from "../rules.ts";
import { wiped } from "../value.ts";
import type { secretValuesContract } from "./contract.ts";

type SetCall = Call<typeof secretValuesContract.setSecretValues>;
type NewValue = SetCall["body"]["values"][number];

async function setValue(
  tx: Tx,
  call: SetCall,
  { name, value, encoding = "utf8", expectedVersion }: NewValue,
  field: string,
) {
  return await wiped(decodeValue(value, encoding, `${field}.value`), async (bytes) => {
    const row = await findSecretForChange(tx, call, name, `${field}.name`);
    if (!row) requireNewName(call.caller, name, `${field}.name`);
    requireVersion(expectedVersion, row?.version ?? 0, `${field}.expectedVersion`);
    if (row) return await addVersion(tx, call, row, { bytes, encoding, restoredFrom: null });
    const { decryptable = false } = call.body;
    const { value: _echo, ...secret } = await addSecret(
      tx,
      call,
      { name, settings: { decryptable }, field: `${field}.name` },
      { bytes, encoding },
    );
    return secret;
  });
}

export const secretValuesService: Implements<typeof secretValuesContract> = {
  async setSecretValues(tx, call) {
    const seen = new Set<string>();
    const secrets = [];
    for (const [at, value] of call.body.values.entries()) {
      const field = `body.values[${at}]`;
      const key = nameKey(value.name);
      if (seen.has(key)) throw fieldError("bad_request", `${field}.name`, "expected each name once");
      seen.add(key);
      secrets.push(await setValue(tx, call, value, field));
    }
    return { secrets };
  },
};

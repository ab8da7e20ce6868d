// Handlers of secrets. Versions and former names have a service of their own.
import type { Call, Implements } from "../../platform/kernel/contract.ts";
import { ApiError, fieldError } from "../../platform/kernel/errors.ts";
import { randomText } from "../../platform/kernel/ids.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { addVersion, updateSecret } from "./change.ts";
import type { secretsContract } from "./contract.ts";
import { addSecret } from "./create.ts";
import { removeSecret, restoreSecret } from "./deletion.ts";
import { getSecret, getSecretForChange, requireVersion } from "./find.ts";
import { rename } from "./names.ts";
import type { Rename } from "./names.ts";
import { reveal } from "./reveal.ts";
import { ALPHABETS, decodeValue, requireName } from "./rules.ts";
import type { Encoding } from "./rules.ts";
import { wiped } from "./value.ts";
import { secretResponse, publicSecret } from "./view.ts";

interface NewSecret {
  readonly name: string;
  readonly value: string;
  readonly encoding?: Encoding;
}

async function create(
  tx: Tx,
  call: Parameters<typeof addSecret>[1],
  { name, value, encoding = "utf8", ...settings }: NewSecret,
) {
  return await wiped(decodeValue(value, encoding), (bytes) =>
    addSecret(tx, call, { name, settings }, { bytes, encoding }),
  );
}

/** The alphabet of a random value. Each character is there once, so that all are equally likely. */
function charactersOf({ alphabet, characters }: Call<typeof secretsContract.generateSecret>["body"]): string {
  if (characters === undefined) return ALPHABETS[alphabet ?? "alphanumeric"];
  const field = "body.characters";
  if (alphabet !== undefined) throw fieldError("bad_request", field, "expected instead of an alphabet");
  if (new Set(characters).size !== characters.length) {
    throw fieldError("bad_request", field, "expected each character once");
  }
  return characters;
}

/** Finds the secrets of a bulk rename, each at most once. */
async function readRenames(tx: Tx, call: Call<typeof secretsContract.renameSecrets>): Promise<Rename[]> {
  const renames: Rename[] = [];
  const seen = new Set<string>();
  for (const [at, { from, to, keepAlias = false }] of call.body.renames.entries()) {
    const field = `body.renames[${at}]`;
    const row = await getSecretForChange(
      tx,
      { scope: call.scope, caller: call.caller, ifMatch: null },
      from,
      `${field}.from`,
    );
    if (seen.has(row.id)) {
      throw fieldError("bad_request", `${field}.from`, "expected each secret once");
    }
    seen.add(row.id);
    renames.push({ row, to, keepAlias, field: `${field}.to` });
  }
  return renames;
}

export const secretsService: Implements<typeof secretsContract> = {
  createSecret: (tx, call) => create(tx, call, call.body),

  createNamedSecret(tx, call) {
    const pathName = requireName(call.params.name, "path.name");
    return create(tx, call, { ...call.body, name: call.body.name ?? pathName });
  },

  async generateSecret(tx, call) {
    const { name, length = 32, alphabet: _alphabet, characters: _characters, ...settings } = call.body;
    const bytes = Buffer.from(randomText(length, charactersOf(call.body)), "latin1");
    return await wiped(bytes, () => addSecret(tx, call, { name, settings }, { bytes, encoding: "utf8" }));
  },

  async renameSecrets(tx, call) {
    const renames = await readRenames(tx, call);
    await rename(tx, call, renames);
    return {
      renamed: renames.map(({ row, to }) => ({
        uid: row.id,
        name: to,
        oldName: row.name,
        created: publicSecret(row).created,
      })),
    };
  },

  async getSecret(tx, call) {
    const row = await getSecret(tx, call, call.params.name);
    if (!call.query.decrypt) return secretResponse(row);
    const revealed = await reveal(tx, call, row, row.version);
    return revealed instanceof ApiError ? revealed : { ...secretResponse(row), ...revealed };
  },

  updateSecret,

  async putSecretValue(tx, call) {
    const { value, encoding = "utf8", expectedVersion, expiresAt } = call.body;
    return await wiped(decodeValue(value, encoding), async (bytes) => {
      const row = await getSecretForChange(tx, call, call.params.name);
      requireVersion(expectedVersion, row.version);
      return await addVersion(tx, call, row, { bytes, encoding, restoredFrom: null, expiresAt });
    });
  },

  deleteSecret: removeSecret,

  restoreSecret,
};

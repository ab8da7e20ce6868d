// Handlers of changes of several secrets at once. Each secret is changed as by a request of its own.
import type { Call, Implements } from "../../../platform/kernel/contract.ts";
import { fieldError } from "../../../platform/kernel/errors.ts";
import type { Tx } from "../../../platform/kernel/tx.ts";
import { changeSettingsOf } from "../change.ts";
import { deleteSoftly } from "../deletion.ts";
import { getSecretForChange } from "../find.ts";
import { MAX_TAGS } from "../secret-schema.ts";
import type { SecretRow } from "../store.ts";
import { publicSecret } from "../view.ts";
import type { secretBulkContract } from "./contract.ts";

type ChangeCall = Call<typeof secretBulkContract.changeSecrets>;

/** What is found of the secrets that a request names, and where it names each. */
interface Named {
  readonly row: SecretRow;
  readonly field: string;
}

async function findNamed(tx: Tx, call: ChangeCall | Call<typeof secretBulkContract.deleteSecrets>): Promise<Named[]> {
  const { scope, caller } = call;
  const named: Named[] = [];
  const seen = new Set<string>();
  for (const [at, name] of call.body.secrets.entries()) {
    const field = `body.secrets[${at}]`;
    const row = await getSecretForChange(tx, { scope, caller, ifMatch: null }, name, field);
    if (seen.has(row.id)) throw fieldError("bad_request", field, "expected each secret once");
    seen.add(row.id);
    named.push({ row, field });
  }
  return named;
}

/** The tags of a secret without some and with others, which come last. */
function tagsAfter({ body: { addTags = [], removeTags = [] } }: ChangeCall, row: SecretRow): string[] {
  const kept = (JSON.parse(row.tags) as string[]).filter((tag) => !removeTags.includes(tag));
  const tags = [...new Set([...kept, ...addTags])];
  if (tags.length <= MAX_TAGS) return tags;
  const expected = `expected at most ${MAX_TAGS} tags of each secret; ${row.name} would have ${tags.length}`;
  throw fieldError("bad_request", "body.addTags", expected);
}

export const secretBulkService: Implements<typeof secretBulkContract> = {
  async changeSecrets(tx, call) {
    const { addTags, removeTags, expiresAt } = call.body;
    if (addTags === undefined && removeTags === undefined && expiresAt === undefined) {
      throw fieldError("bad_request", "body.addTags", "expected, or removeTags or expiresAt in its place");
    }
    const both = addTags?.find((tag) => removeTags?.includes(tag));
    if (both !== undefined) throw fieldError("bad_request", "body.removeTags", "expected no tag that addTags has");
    const secrets = [];
    for (const { row } of await findNamed(tx, call)) {
      const changed = await changeSettingsOf(tx, call, row, {
        tags: tagsAfter(call, row),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      secrets.push(publicSecret(changed));
    }
    return { secrets };
  },

  async deleteSecrets(tx, call) {
    const deleted = [];
    for (const { row } of await findNamed(tx, call)) {
      const purgeAt = await deleteSoftly(tx, call, row);
      deleted.push({ uid: row.id, name: row.name, purgeAt });
    }
    return { deleted };
  },
};

// Values of several secrets at once.
import { Type } from "typebox";
import { defineContract } from "../../../platform/kernel/contract.ts";
import { Decryptable, Encoding, NAMED_WRITE, NewName, NewValue, Secret, TAG } from "../secret-schema.ts";

const MAX_VALUES = 100;

export const secretValuesContract = defineContract({
  setSecretValues: {
    method: "PATCH",
    path: "/v1/secrets/values",
    tag: TAG,
    summary: "Store the values of several secrets at once, all or none",
    description:
      "A secret that there is gets a new version; a name that no secret has gets one. Secrets that are not named stay " +
      "as they are.",
    ...NAMED_WRITE,
    changesOwnerOnly: true,
    body: Type.Object(
      {
        values: Type.Array(
          Type.Object(
            {
              name: NewName,
              value: NewValue,
              encoding: Type.Optional(Encoding),
              expectedVersion: Type.Optional(
                Type.Integer({
                  minimum: 0,
                  description: "Refuse all with 409 unless this secret is at this `version`; 0: there is none yet.",
                }),
              ),
            },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: MAX_VALUES },
        ),
        decryptable: Type.Optional(Decryptable),
      },
      { additionalProperties: false },
    ),
    example: {
      body: {
        values: [
          { name: "DATABASE_URL", value: "postgres://db.internal/shop", expectedVersion: 1 },
          { name: "QUEUE_URL", value: "amqp://queue.internal", expectedVersion: 0 },
        ],
        decryptable: true,
      },
    },
    returns: "The secrets with their new versions.",
    response: Type.Object({ secrets: Type.Array(Secret, { description: "In the order of `values`." }) }),
    errors: [
      "invalid_secret_name",
      "invalid_secret_value",
      "secret_is_alias",
      "version_conflict",
      "master_key_missing",
    ],
    emits: ["secret-add", "secret-value-update"],
  },
});

// The endpoint that hands the values of an environment to an application.
import { OneOf, RecordOf, defineContract } from "../../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { ENVIRONMENT_LIMITS, EnvironmentParams, READ, TAG } from "../environment-schema.ts";
import { COMMAS } from "../../../platform/kernel/units.ts";

export const environmentValuesContract = defineContract({
  getEnvironmentValues: {
    method: "GET",
    path: "/v1/environments/:project/:environment/values",
    tag: TAG,
    gives: "value",
    summary: "The values of an environment, inherited ones included",
    description:
      "404 `not_found` for a project that does not exist; an environment without entries has no values. " +
      "Complete or refused: an entry whose secret is deleted, expired, not decryptable or does not open refuses all, and " +
      "`error.entries` names each. One event names all that is read. The `ETag` follows every change of entries and of secrets' " +
      "values; a request that names it in `If-None-Match` gets 304 and records nothing. A value of bytes is base64, as its secret is. " +
      "Damage of what is stored may show up to ten minutes after the last read of the same values.",
    access: READ,
    limits: { ...ENVIRONMENT_LIMITS, name: "handler" },
    changesOwnerOnly: true,
    params: EnvironmentParams,
    query: Type.Object({
      format: Type.Optional(
        OneOf(["json", "env"], { description: "`json` by default; `env`: text, a `NAME='value'` per entry." }),
      ),
      names: Type.Optional(
        Type.String({
          ...COMMAS,
          maxLength: 20_000,
          description: "Only these, separated by commas; each has to be there.",
        }),
      ),
    }),
    recordsAlways: true,
    recordingNeeds: "secret:reveal",
    isConditional: true,
    textForm: "With `format=env`: lines that a shell reads, and what parses `.env` files.",
    response: RecordOf(Type.String(), { description: "Values by name.", title: "EnvironmentValues" }),
    errors: ["environment_incomplete", "secret_unreadable", "master_key_missing"],
    emits: ["environment-values-read", "secret-unreadable"],
  },
});

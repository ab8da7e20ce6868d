// Endpoints of variables, on the paths and in the form that existing clients of the hosted API know.
import { Type } from "typebox";
import { OneOf, RecordOf, defineContract } from "../../../platform/kernel/contract.ts";
import { BUILT_IN, READ, WRITE } from "../environment-schema.ts";
import {
  ListedVariable,
  NewVariable,
  ProjectParams,
  REVEAL,
  TAG,
  Variable,
  VariableChange,
  VariableParams,
} from "./variable-schema.ts";

/** Existing clients mix versions. */
const at = (versions: readonly string[], rest: string) => versions.map((one) => `/${one}/projects/:idOrName${rest}`);

const ERRORS = [
  "invalid_environment",
  "invalid_secret_value",
  "secret_not_decryptable",
  "env_conflict",
  "master_key_missing",
] as const;
const EMITS = ["environment-values-changed", "secret-add", "secret-value-update"];
/** A variable is known by its key, in the environments that are known. */
const LIMITED = { project: "params.idOrName", environment: "handler", name: "handler" } as const;
const READ_EMITS = ["environment-values-read", "secret-unreadable"];
const MAX_BATCH = 1_000;

export const variablesContract = defineContract({
  listVariables: {
    method: "GET",
    path: "/v10/projects/:idOrName/env",
    aliases: at(["v9", "v8"], "/env"),
    tag: TAG,
    gives: "value",
    summary: "The variables of a project, newest first",
    description:
      "Each with the environments that have it, inherited ones not. Secret values are empty unless the query has " +
      "`decrypt=true`, which needs `secret:reveal` and records an event for each environment; one whose secret cannot be read stays empty.",
    access: READ,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: ProjectParams,
    query: Type.Object({
      target: Type.Optional(OneOf(BUILT_IN, { description: "Only variables of this environment." })),
      customEnvironmentId: Type.Optional(
        Type.String({ maxLength: 64, description: "The same for one that was created." }),
      ),
      customEnvironmentSlug: Type.Optional(Type.String({ maxLength: 64, description: "The same." })),
      gitBranch: Type.Optional(
        Type.String({ maxLength: 256, description: "Only variables of this branch: there are none." }),
      ),
      decrypt: Type.Optional(Type.Boolean({ description: "Show values, but for those of the type `sensitive`." })),
      source: Type.Optional(Type.String({ maxLength: 256, description: "The command of the client." })),
    }),
    recordsWhen: "decrypt",
    recordingNeeds: REVEAL,
    example: { query: { customEnvironmentSlug: "staging" } },
    response: Type.Object({ envs: Type.Array(ListedVariable) }),
    errors: ["secret_unreadable", "master_key_missing"],
    emits: READ_EMITS,
  },
  createVariables: {
    method: "POST",
    path: "/v10/projects/:idOrName/env",
    aliases: at(["v9", "v8"], "/env"),
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Create variables",
    description:
      "One as an object, or up to 1000 as an array, all or none. It is an entry of each of its environments: what " +
      "`/v1/environments` shows and changes.",
    access: WRITE,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: ProjectParams,
    query: Type.Object({
      upsert: Type.Optional(
        Type.Boolean({ description: "Replace what these environments have under the key, instead of a refusal." }),
      ),
    }),
    // One schema for both forms: keywords for objects and for arrays each apply to their own kind.
    body: Type.Unsafe<NewVariable | NewVariable[]>({
      ...NewVariable,
      type: ["object", "array"],
      items: NewVariable,
      minItems: 1,
      maxItems: MAX_BATCH,
    }),
    example: {
      body: { key: "LOG_LEVEL", value: "info", type: "plain", target: ["production", "preview"], comment: "For all" },
    },
    status: 201,
    returns: "The variables that were created, and those that were not, with the reason.",
    response: Type.Object({
      created: Type.Union([Variable, Type.Array(Variable)], { description: "In the form of the body." }),
      failed: Type.Array(Type.Object({}), { maxItems: 0, description: "Always empty: all are created, or none." }),
    }),
    errors: ERRORS,
    emits: EMITS,
  },
  getVariable: {
    method: "GET",
    path: "/v1/projects/:idOrName/env/:id",
    acceptsEmptyTeam: true,
    tag: TAG,
    gives: "value",
    summary: "One variable with its value",
    description:
      "The value of the type `sensitive` stays empty. A shown secret's value is recorded, once for each environment.",
    access: READ,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: VariableParams,
    recordsAlways: true,
    recordingNeeds: REVEAL,
    response: Variable,
    errors: ["environment_incomplete", "secret_unreadable", "master_key_missing"],
    emits: READ_EMITS,
  },
  updateVariable: {
    method: "PATCH",
    path: "/v9/projects/:idOrName/env/:id",
    aliases: at(["v10", "v8"], "/env/:id"),
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Change a variable in all of its environments",
    description:
      "`target` and `customEnvironmentIds` each replace the environments of their kind. What is absent stays. Another type needs the " +
      "value, unless a plain one becomes a secret or an `encrypted` one `sensitive`.",
    access: WRITE,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: VariableParams,
    body: VariableChange,
    example: { body: { value: "debug", target: ["preview"] } },
    response: Variable,
    errors: ERRORS,
    emits: EMITS,
  },
  deleteVariable: {
    method: "DELETE",
    path: "/v9/projects/:idOrName/env/:id",
    aliases: at(["v10", "v8"], "/env/:id"),
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Remove a variable from all of its environments",
    description: "Its secret stays.",
    access: WRITE,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: VariableParams,
    query: Type.Object({
      customEnvironmentId: Type.Optional(
        Type.String({ maxLength: 64, description: "Only from this environment, by name." }),
      ),
    }),
    response: Variable,
    errors: [],
    emits: ["environment-values-changed"],
  },
  deleteVariables: {
    method: "DELETE",
    path: "/v1/projects/:idOrName/env",
    acceptsEmptyTeam: true,
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Remove several variables",
    description: "As one change. Ids that there are not are left out of the response.",
    access: WRITE,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: ProjectParams,
    body: Type.Object(
      { ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_BATCH }) },
      { additionalProperties: false },
    ),
    example: { body: { ids: ["env_example"] } },
    returns: "How many variables were removed, and which.",
    response: Type.Object({ deleted: Type.Integer(), ids: Type.Array(Type.String()) }),
    errors: [],
    emits: ["environment-values-changed"],
  },
  pullEnvironment: {
    method: "GET",
    path: "/v3/env/pull/:idOrName",
    aliases: ["v3", "v1"].flatMap((version) =>
      ["", "/:target", "/:target/:gitBranch"]
        .map((rest) => `/${version}/env/pull/:idOrName${rest}`)
        .filter((path) => path !== "/v3/env/pull/:idOrName"),
    ),
    tag: TAG,
    gives: "value",
    summary: "The values of an environment, in the form of existing clients",
    description:
      "As `/v1/environments/{project}/{environment}/values`: complete or refused, inherited ones and those of the type `sensitive` " +
      "included, with one event. Without a target it is `development`. A git branch has none of its own. A project that has not begun is " +
      "not found, but for `vercel link`.",
    access: READ,
    limits: { ...LIMITED, environment: { at: ["params.target"], otherwise: "development" } },
    changesOwnerOnly: true,
    params: Type.Object({
      ...ProjectParams.properties,
      target: Type.Optional(Type.String({ maxLength: 64, description: "Name of an environment." })),
      gitBranch: Type.Optional(Type.String({ maxLength: 256 })),
    }),
    query: Type.Object({
      source: Type.Optional(Type.String({ maxLength: 256, description: "The command of the client." })),
    }),
    recordsAlways: true,
    recordingNeeds: REVEAL,
    example: { query: { source: "cli" } },
    response: Type.Object({
      env: RecordOf(Type.String(), { description: "For a process." }),
      buildEnv: RecordOf(Type.String(), { description: "For a build: the same." }),
    }),
    errors: ["environment_incomplete", "secret_unreadable", "master_key_missing"],
    emits: READ_EMITS,
  },
});

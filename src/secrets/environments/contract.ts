// Endpoints of environments: what an application of a project gets as its environment variables.
import { RecordOf, defineContract } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import {
  CHANGE_ERRORS,
  ENVIRONMENT,
  ENVIRONMENT_LIMITS,
  Environment,
  EnvironmentChange,
  EnvironmentDiff,
  EnvironmentName,
  EnvironmentParams,
  DRY_RUN,
  InheritsFrom,
  LIMITS,
  Note,
  PROJECT_LIMITS,
  ProjectParams,
  READ,
  ResolvedEntry,
  TAG,
  WRITE,
} from "./environment-schema.ts";

const Detailed = Type.Object(
  { ...ENVIRONMENT, entries: Type.Array(ResolvedEntry, { description: "With inherited ones, by key." }) },
  { title: "EnvironmentWithEntries" },
);

export const environmentsContract = defineContract({
  listEnvironments: {
    method: "GET",
    path: "/v1/environments/:project",
    tag: TAG,
    summary: "The environments of a project",
    description:
      "`production`, `preview` and `development` first, which every project has, then those that were created, by name. A project " +
      "that has not begun is not found.",
    access: READ,
    limits: { ...PROJECT_LIMITS, environment: "handler" },
    readsOwnerOnly: true,
    params: ProjectParams,
    response: Type.Object({ environments: Type.Array(Environment) }),
    errors: [],
    emits: [],
  },
  changeEnvironments: {
    method: "PATCH",
    path: "/v1/environments/:project",
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Change entries of several environments at once, all or none",
    description:
      "The response shows the differences without values. With `secret` it needs `secret:read` too, with `secretValue` " +
      "`secret:write`. An entry that is set keeps what it had of a comment unless another is sent.",
    access: WRITE,
    limits: { ...PROJECT_LIMITS, environment: "handler", name: "handler" },
    changesOwnerOnly: true,
    protects: Type.Object({ environments: RecordOf(Type.Object({ set: Type.Optional(Type.Never()) })) }),
    params: ProjectParams,
    query: DRY_RUN,
    body: Type.Object(
      {
        environments: RecordOf(EnvironmentChange, {
          minProperties: 1,
          maxProperties: LIMITS.environments,
          description: "Changes by the name of the environment.",
        }),
        expectedVersions: Type.Optional(
          RecordOf(Type.Integer({ minimum: 0 }), {
            maxProperties: LIMITS.environments,
            description: "By the name of the environment: refuse all with 409 unless it is at this `version`.",
          }),
        ),
        note: Type.Optional(Note),
      },
      { additionalProperties: false },
    ),
    example: {
      body: {
        environments: {
          production: {
            set: { DATABASE_URL: { secretValue: "postgres://app@db.internal/shop" }, LOG_LEVEL: { value: "info" } },
            remove: ["DEBUG"],
          },
        },
        note: "The new database",
      },
    },
    returns: "What changed in each environment; of a dry run, what would change.",
    response: Type.Object({
      project: Type.String(),
      isDryRun: Type.Boolean(),
      environments: Type.Array(EnvironmentDiff),
    }),
    errors: [...CHANGE_ERRORS, "secret_not_decryptable", "master_key_missing"],
    emits: ["environment-values-changed", "secret-add", "secret-value-update"],
  },
  createEnvironment: {
    method: "POST",
    path: "/v1/environments/:project",
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Create an environment",
    access: WRITE,
    limits: PROJECT_LIMITS,
    changesOwnerOnly: true,
    params: ProjectParams,
    body: Type.Object(
      { name: EnvironmentName, inheritsFrom: Type.Optional(InheritsFrom) },
      { additionalProperties: false },
    ),
    example: { body: { name: "staging", inheritsFrom: "preview" } },
    response: Environment,
    errors: ["invalid_environment", "environment_exists"],
    emits: ["environment-created"],
  },
  getEnvironment: {
    method: "GET",
    path: "/v1/environments/:project/:environment",
    tag: TAG,
    summary: "One environment with its entries, and where each is inherited from",
    description: "Plain values are shown; of secrets their names.",
    access: READ,
    limits: { ...ENVIRONMENT_LIMITS, name: "handler" },
    params: EnvironmentParams,
    response: Detailed,
    errors: [],
    emits: [],
  },
  updateEnvironment: {
    method: "PATCH",
    path: "/v1/environments/:project/:environment",
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Change what an environment inherits from",
    access: WRITE,
    limits: PROJECT_LIMITS,
    changesOwnerOnly: true,
    params: EnvironmentParams,
    body: Type.Object({ inheritsFrom: InheritsFrom }, { additionalProperties: false }),
    example: { body: { inheritsFrom: "production" } },
    response: Environment,
    errors: ["invalid_environment", "revision_mismatch"],
    emits: ["environment-updated"],
  },
  deleteEnvironment: {
    method: "DELETE",
    path: "/v1/environments/:project/:environment",
    tag: TAG,
    gives: "nothing",
    summary: "Delete an environment that was created, with its versions",
    description: "Its secrets stay. Refused for those that every project has, and while another one inherits from it.",
    access: WRITE,
    limits: ENVIRONMENT_LIMITS,
    changesOwnerOnly: true,
    params: EnvironmentParams,
    query: Type.Object({
      dryRun: Type.Optional(Type.Boolean({ description: "Refuse what the deletion would, and change nothing." })),
    }),
    response: Environment,
    errors: ["environment_in_use", "revision_mismatch"],
    emits: ["environment-deleted"],
  },
});

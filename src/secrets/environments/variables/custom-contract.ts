// Environments that were created, on the paths and in the form that existing clients of the hosted API know.
import { Type } from "typebox";
import { OneOf, defineContract } from "../../../platform/kernel/contract.ts";
import { EnvironmentName, LIMITS, READ, WRITE } from "../environment-schema.ts";
import { ProjectParams, TAG } from "./variable-schema.ts";

const PATH = "/v9/projects/:idOrName/custom-environments";
const ALIAS = "/projects/:idOrName/custom-environments";

const LIMITED = { project: "params.idOrName" } as const;
const ONE_LIMITED = { ...LIMITED, environment: "params.environmentSlugOrId" } as const;

const SlugParams = Type.Object({
  ...ProjectParams.properties,
  environmentSlugOrId: Type.String({ maxLength: 64, description: "Name of the environment." }),
});

const CustomEnvironment = Type.Object(
  {
    id: Type.String({ description: "The name of the environment." }),
    slug: Type.String({ description: "The same as `id`." }),
    type: OneOf(["preview"]),
    createdAt: Type.Integer({ description: "ms since the epoch" }),
    updatedAt: Type.Integer(),
  },
  { title: "CustomEnvironment" },
);

/** Clients know them; environments here have none. */
const ABSENT = {
  description: Type.Optional(Type.String({ maxLength: 0, description: "Empty: environments have none here." })),
  branchMatcher: Type.Optional(Type.Null({ description: "Null: no environment follows branches here." })),
};

export const customEnvironmentsContract = defineContract({
  listCustomEnvironments: {
    method: "GET",
    path: PATH,
    aliases: [ALIAS],
    tag: TAG,
    summary: "The environments of a project that were created",
    access: READ,
    limits: { ...LIMITED, environment: "handler" },
    params: ProjectParams,
    query: Type.Object({
      gitBranch: Type.Optional(
        Type.String({ maxLength: 256, description: "Only those that follow this branch: there are none." }),
      ),
    }),
    example: {},
    response: Type.Object({
      accountLimit: Type.Object({
        total: Type.Integer({ description: `Environments that a project can have: ${LIMITS.environments}.` }),
      }),
      environments: Type.Array(CustomEnvironment),
    }),
    errors: [],
    emits: [],
  },
  createCustomEnvironment: {
    method: "POST",
    path: PATH,
    aliases: [ALIAS],
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Create an environment, in the form of existing clients",
    access: WRITE,
    limits: LIMITED,
    changesOwnerOnly: true,
    params: ProjectParams,
    body: Type.Object(
      {
        slug: EnvironmentName,
        ...ABSENT,
        copyEnvVarsFrom: Type.Optional(
          Type.String({
            maxLength: 64,
            description: "An environment whose own variables the new one has too, from then on as variables of both.",
          }),
        ),
      },
      { additionalProperties: false },
    ),
    example: { body: { slug: "staging", copyEnvVarsFrom: "preview" } },
    status: 201,
    response: CustomEnvironment,
    errors: ["invalid_environment", "environment_exists"],
    emits: ["environment-created", "environment-values-changed"],
  },
  getCustomEnvironment: {
    method: "GET",
    path: `${PATH}/:environmentSlugOrId`,
    aliases: [`${ALIAS}/:environmentSlugOrId`],
    tag: TAG,
    summary: "One environment that was created",
    access: READ,
    limits: ONE_LIMITED,
    params: SlugParams,
    response: CustomEnvironment,
    errors: [],
    emits: [],
  },
  updateCustomEnvironment: {
    method: "PATCH",
    path: `${PATH}/:environmentSlugOrId`,
    aliases: [`${ALIAS}/:environmentSlugOrId`],
    tag: TAG,
    gives: "nothing",
    summary: "Refused unless nothing would change: environments keep their names",
    description: "What else an environment has is changed by `PATCH /v1/environments/{project}/{environment}`.",
    access: WRITE,
    limits: ONE_LIMITED,
    changesOwnerOnly: true,
    params: SlugParams,
    body: Type.Object({ slug: Type.Optional(EnvironmentName), ...ABSENT }, { additionalProperties: false }),
    example: { body: { slug: "staging" } },
    response: CustomEnvironment,
    errors: ["invalid_environment"],
    emits: [],
  },
  deleteCustomEnvironment: {
    method: "DELETE",
    path: `${PATH}/:environmentSlugOrId`,
    aliases: [`${ALIAS}/:environmentSlugOrId`],
    tag: TAG,
    gives: "nothing",
    summary: "Delete an environment that was created, in the form of existing clients",
    description: "With its versions; its secrets stay. Refused while another one inherits from it.",
    access: WRITE,
    limits: ONE_LIMITED,
    changesOwnerOnly: true,
    params: SlugParams,
    body: Type.Object(
      {
        deleteUnassignedEnvironmentVariables: Type.Optional(
          Type.Boolean({ description: "Changes nothing: a variable of no environment is not kept." }),
        ),
      },
      { additionalProperties: false },
    ),
    isBodyOptional: true,
    response: CustomEnvironment,
    errors: ["environment_in_use", "revision_mismatch"],
    emits: ["environment-deleted"],
  },
});

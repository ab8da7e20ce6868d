// Endpoints of the versions of an environment: each is complete, and none ever changes.
import { Nullable, Pattern, defineContract } from "../../../platform/kernel/contract.ts";
import { PAGE_QUERY, Pagination } from "../../../platform/kernel/pagination.ts";
import { Type } from "typebox";
import {
  DIFFERENCES,
  DRY_RUN,
  ENVIRONMENT_LIMITS,
  EnvironmentDiff,
  EnvironmentParams,
  LIMITS,
  Note,
  OwnEntry,
  PROJECT_LIMITS,
  READ,
  TAG,
  WRITE,
} from "../environment-schema.ts";

const VersionNumber = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

const VERSION = {
  version: Type.Integer(),
  changeCount: Type.Integer({
    description: "Entries that differ from the version before; 0: what it inherits from does, or it was created.",
  }),
  inheritsFrom: Nullable(Type.String({ description: "What the environment inherits from since; null: nothing." })),
  restoredFrom: Nullable(Type.Integer({ description: "The version whose entries a roll-back brought back." })),
  note: Nullable(Type.String()),
  createdBy: Type.Object({ id: Nullable(Type.String()), name: Type.String() }),
  createdAt: Type.Integer({ description: "ms since the epoch" }),
};

export const environmentVersionsContract = defineContract({
  listEnvironmentVersions: {
    method: "GET",
    path: "/v1/environments/:project/:environment/versions",
    tag: TAG,
    summary: "The versions of an environment that are kept, newest first",
    description: `The newest ${LIMITS.versions} are kept.`,
    access: READ,
    limits: ENVIRONMENT_LIMITS,
    params: EnvironmentParams,
    query: Type.Object(PAGE_QUERY),
    response: Type.Object({
      versions: Type.Array(Type.Object(VERSION, { title: "EnvironmentVersion" })),
      pagination: Pagination,
    }),
    errors: ["invalid_cursor"],
    emits: [],
  },
  getEnvironmentVersion: {
    method: "GET",
    path: "/v1/environments/:project/:environment/versions/:version",
    tag: TAG,
    summary: "One version with its own entries",
    access: READ,
    limits: ENVIRONMENT_LIMITS,
    params: Type.Object({
      ...EnvironmentParams.properties,
      version: Pattern("^[1-9][0-9]{0,14}$", "a whole number from 1", { description: "Number of the version." }),
    }),
    response: Type.Object({ ...VERSION, entries: Type.Array(OwnEntry) }, { title: "EnvironmentVersionWithEntries" }),
    errors: [],
    emits: [],
  },
  diffEnvironmentVersions: {
    method: "GET",
    path: "/v1/environments/:project/:environment/diff",
    tag: TAG,
    summary: "The differences of two versions, without values",
    description: "A new value of a secret is not among them: the versions of the secret show it.",
    access: READ,
    limits: ENVIRONMENT_LIMITS,
    params: EnvironmentParams,
    query: Type.Object({
      from: Type.Optional({ ...VersionNumber, description: "By default the version before `to`; 0: no entries." }),
      to: Type.Optional({ ...VersionNumber, description: "By default the newest version." }),
    }),
    example: { query: { from: 1, to: 2 } },
    response: Type.Object(
      { from: Type.Integer(), to: Type.Integer(), ...DIFFERENCES },
      { title: "EnvironmentVersionsDiff" },
    ),
    errors: [],
    emits: [],
  },
  rollBackEnvironment: {
    method: "POST",
    path: "/v1/environments/:project/:environment/rollback",
    tag: TAG,
    gives: { what: "reference", when: "handler" },
    summary: "Bring the entries of an earlier version back, as a new version",
    description:
      "What the environment inherits from stays, and so do the values of secrets, which have versions of their own. Refused when a " +
      "secret of that version is deleted, destroyed or no longer decryptable, which a dry run says as well.",
    access: WRITE,
    limits: PROJECT_LIMITS,
    changesOwnerOnly: true,
    params: EnvironmentParams,
    query: DRY_RUN,
    body: Type.Object(
      {
        version: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }),
        expectedVersion: Type.Optional(
          Type.Integer({ minimum: 0, description: "Refuse with 409 unless the environment is at this `version`." }),
        ),
        note: Type.Optional(Note),
      },
      { additionalProperties: false },
    ),
    example: { body: { version: 1, expectedVersion: 2 } },
    response: EnvironmentDiff,
    errors: ["environment_incomplete", "invalid_environment", "version_conflict", "revision_mismatch"],
    emits: ["environment-values-changed"],
  },
});

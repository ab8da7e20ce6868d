// The schema of a project in responses.
import { Type } from "typebox";
import { Nullable } from "../../platform/kernel/contract.ts";

/** Of what a platform knows of a project, and Reeve does not. */
const UNKNOWN = { description: "Only for the SDK that requires it; it says nothing." };
const Regions = Type.Optional(Type.Object({ functionDefaultRegions: Type.Array(Type.String()) }, UNKNOWN));

const TIME = Type.Optional(Type.Integer({ description: "ms since the epoch; absent when nothing is stored." }));

export const Project = Type.Object(
  {
    id: Type.String({ description: "The name of the project." }),
    name: Type.String({ description: "The same as `id`." }),
    accountId: Type.String({ description: "The team or user that owns the project." }),
    createdAt: TIME,
    updatedAt: TIME,
    security: Type.Object(
      {
        attackModeEnabled: Type.Boolean(),
        attackModeUpdatedAt: Type.Optional(Type.Integer({ description: "Absent when it was never set." })),
        attackModeActiveUntil: Nullable(Type.Integer({ description: "The time at which attack challenge mode ends." })),
        firewallEnabled: Type.Boolean({
          description: "Whether the active configuration is enabled; false without one.",
        }),
        firewallUpdatedAt: Type.Optional(
          Type.Integer({ description: "The time at which that configuration was activated." }),
        ),
        firewallConfigVersion: Type.Optional(Type.Integer({ description: "Its version." })),
        firewallDraftUpdatedAt: Type.Optional(
          Type.Integer({ description: "The time of the last change of the draft; absent without one." }),
        ),
      },
      { description: "The protection of the project." },
    ),
    alias: Type.Optional(Type.Array(Type.String(), UNKNOWN)),
    nodeVersion: Type.Optional(Type.String(UNKNOWN)),
    directoryListing: Type.Optional(Type.Boolean(UNKNOWN)),
    deploymentExpiration: Type.Optional(Type.Object({}, UNKNOWN)),
    resourceConfig: Regions,
    defaultResourceConfig: Regions,
  },
  { title: "Project" },
);

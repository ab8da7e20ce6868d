// Variables as existing clients of the hosted API know them: entries with one id, in the environments that have them.
import { Nullable, OneOf } from "../../../platform/kernel/contract.ts";
import { Type } from "typebox";
import type { Static } from "typebox";
import { ProjectName } from "../../../platform/kernel/project.ts";
import { BUILT_IN, LIMITS } from "../environment-schema.ts";

export const TAG = "Variables";
export const REVEAL = "secret:reveal";

export const ProjectParams = Type.Object({ idOrName: ProjectName("Name of the project.") });
export const VariableParams = Type.Object({
  ...ProjectParams.properties,
  id: Type.String({ maxLength: 64, description: "Id of the variable." }),
});

const TYPES = ["plain", "encrypted", "sensitive", "secret"] as const;
const Kind = OneOf(TYPES, {
  description:
    "`plain`: everybody who may see the environment sees the value. `encrypted`: a secret is made for the value. `sensitive`: so too, and " +
    "no list and no single read shows it again. `secret`: the value is the id or name of a secret of the team or account.",
});
export type VariableKind = (typeof TYPES)[number];

const Names = (description: string) =>
  Type.Array(Type.String({ maxLength: 64 }), { maxItems: LIMITS.environments, description });

const MEMBERS = {
  key: Type.Optional(Type.String({ maxLength: 256 })),
  value: Type.Optional(Type.String()),
  type: Type.Optional(Kind),
  target: Type.Optional(
    Type.Array(OneOf(BUILT_IN), { maxItems: BUILT_IN.length, description: "Environments that every project has." }),
  ),
  customEnvironmentIds: Type.Optional(Names("Environments that were created, by name.")),
  gitBranch: Type.Optional(
    Nullable(Type.String({ maxLength: 256, description: "Refused unless empty: create an environment instead." })),
  ),
  comment: Type.Optional(Type.String({ maxLength: 500 })),
  visibility: Type.Optional(
    OneOf(["config", "secret"], { description: "What some clients send beside the type: `secret` is `sensitive`." }),
  ),
};

export const VariableChange = Type.Object(MEMBERS, { additionalProperties: false, title: "VariableChangeInput" });
export type VariableChange = Static<typeof VariableChange>;

export const NewVariable = Type.Object(
  { ...MEMBERS, key: Type.String({ maxLength: 256 }), value: Type.String() },
  { additionalProperties: false },
);
export type NewVariable = Static<typeof NewVariable>;

export const Variable = Type.Object(
  {
    id: Type.String(),
    key: Type.String(),
    value: Type.String({ description: "Empty where it is not shown; of type `secret`, the secret's id." }),
    type: Kind,
    target: Type.Array(OneOf(BUILT_IN)),
    customEnvironmentIds: Type.Array(Type.String()),
    comment: Type.Optional(Type.String()),
    decrypted: Type.Optional(
      Type.Boolean({ description: "Of `encrypted` and `sensitive` ones: whether the value is shown." }),
    ),
    createdAt: Type.Integer({ description: "ms since the epoch" }),
    updatedAt: Type.Integer(),
  },
  { title: "Variable" },
);
export type Variable = Static<typeof Variable>;

export const ListedVariable = Type.Object(
  {
    ...Variable.properties,
    securityIssues: Type.Array(Type.String(), {
      maxItems: 0,
      description: "Always empty, and there because a release of the SDK refuses a list without it.",
    }),
  },
  { title: "ListedVariable" },
);

// The limits of a credential as requests give them and responses show them.
import { Type } from "typebox";
import { Nullable, OneOf, Pattern } from "./contract.ts";
import { PERMISSIONS } from "./roles.ts";

const MAX_ENTRIES = 100;
const ProjectOrEnvironment = Pattern(
  "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$",
  "an exact name: at most 100 letters (A to Z), digits, `_`, `.` and `-`, of which the first is a letter or a digit; only `names` take `*`",
);
const NamePattern = Pattern(
  "^[A-Za-z0-9_*][A-Za-z0-9_.*-]{0,99}$",
  "a name, in which `*` stands for any characters: at most 100 letters, digits, `_`, `.`, `-` and `*`",
);
const listOf = (description: string) => ({ minItems: 1, maxItems: MAX_ENTRIES, uniqueItems: true, description });

const PROJECTS = Type.Array(
  ProjectOrEnvironment,
  listOf("The only projects that it knows, by their exact names; by default all."),
);
const ENVIRONMENTS = Type.Array(
  ProjectOrEnvironment,
  listOf("The only environments that it knows, by their exact names; by default all."),
);
const NAMES = Type.Array(
  NamePattern,
  listOf(
    "The only secrets and variables that it knows, by their names, without regard to case; `*` stands for any characters: `DB_*`.",
  ),
);
const ALLOWED_CIDRS = Type.Array(Type.String({ maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_ENTRIES,
  description: "The only networks from which it may be used, as `10.0.0.0/8`; by default any.",
});

/** The members of a request that makes a credential. */
export const LIMITS_BODY = {
  permissions: Type.Optional(
    Type.Array(OneOf(PERMISSIONS), {
      minItems: 1,
      uniqueItems: true,
      description: "The only permissions that it has; by default all of its role or user.",
    }),
  ),
  projects: Type.Optional(PROJECTS),
  environments: Type.Optional(ENVIRONMENTS),
  names: Type.Optional(NAMES),
  allowedCidrs: Type.Optional(ALLOWED_CIDRS),
};

/** The members of a request that changes what credentials of later have; null: all. */
export const LIMITS_CHANGE = {
  projects: Type.Optional(Nullable(PROJECTS)),
  environments: Type.Optional(Nullable(ENVIRONMENTS)),
  names: Type.Optional(Nullable(NAMES)),
  allowedCidrs: Type.Optional(Nullable(ALLOWED_CIDRS)),
};

const list = (description: string) => Nullable(Type.Array(Type.String(), { description }));

/** The members of a credential in responses. */
export const LIMITS_FIELDS = {
  permissions: Nullable(
    Type.Array(OneOf(PERMISSIONS), { description: "The only permissions that it has; null: all of its role or user." }),
  ),
  projects: list("The only projects that it knows; null: all."),
  environments: list("The only environments that it knows; null: all."),
  names: list("The only secrets and variables that it knows, with `*` for any characters; null: all."),
  allowedCidrs: Type.Array(Type.String(), { description: "Networks from which it may be used; empty: any." }),
  allows: Type.String({ description: "What it may do, in plain words." }),
};

/** The query of a request that makes a credential. */
export const DRY_RUN = Type.Optional(
  Type.Boolean({ description: "Check the request and say in `allows` what the credential may do, and make none." }),
);

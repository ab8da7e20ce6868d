// The shapes of the bypass list. Their members are spelled as public clients read them.
import type { TSchema } from "typebox";
import { DAY_MS } from "../../kernel/scheduling/clock.ts";
import { Nullable, OneOf } from "../../kernel/contract.ts";
import { Type } from "typebox";

/** The domain of an entry for the whole project. */
export const WHOLE_PROJECT = "*";
/** What is answered as the address of an entry for every client. */
export const ALL_SOURCES = "0.0.0.0/0";

export const MAX_BYPASSES = 1_000;
const MAX_TTL_DAYS = 365;

/** Whom an entry is about. A body has one of the first two members, and one of the other two. */
export const BYPASS_MEMBERS = {
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_544,
      description: "A host's name, `*.name` for every name below one, or `*` for the whole project.",
    }),
  ),
  projectScope: Type.Optional(Type.Boolean({ description: "For the whole project, instead of `domain`." })),
  sourceIp: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 49,
      description:
        "Address or network, at least /16, or one of `0.0.0.0/0` and `::/0`. Bits beyond the prefix don't count.",
    }),
  ),
  allSources: Type.Optional(Type.Boolean({ description: "For every client, instead of `sourceIp`." })),
};

export const Ttl = Type.Integer({
  minimum: 1,
  maximum: MAX_TTL_DAYS * DAY_MS,
  description:
    `ms from now until the entry ends by itself, at most ${MAX_TTL_DAYS} days. Without it the entry stays; but one for ` +
    "every client and the whole project ends after a day.",
});

export const Note = Type.String({ maxLength: 500 });

const IDENTITY = {
  OwnerId: Type.String(),
  Id: Type.String({ description: "Begins with the project's name and `#`; the same for the same domain and network." }),
  Domain: Type.String({ description: "`*` for the whole project." }),
  Ip: Type.String({ description: "As it was sent; `0.0.0.0/0` for every client." }),
};

const IsProjectRule = Type.Boolean({ description: "Whether it is for the whole project." });

/** As adding one answers it. */
export const AddedBypass = Type.Object({
  ...IDENTITY,
  ProjectId: Type.String(),
  Note: Type.String(),
  IsProjectRule,
});

const time = (description = "UTC, as `2030-01-31 12:00:00`") => Type.String({ description });

export const Bypass = Type.Object(
  {
    ...IDENTITY,
    Action: OneOf(["bypass"]),
    ProjectId: Type.String(),
    IsProjectRule,
    Note: Type.String(),
    CreatedAt: time(),
    ActorId: Type.String({ description: "Id of the user or API key that wrote it last." }),
    UpdatedAt: time(),
    UpdatedAtHour: time("The hour of `UpdatedAt`."),
    ExpiresAt: Nullable(Type.Integer({ description: "When it ends by itself, in whole seconds since the epoch." })),
  },
  { title: "Bypass" },
);

/** A page of a list whose next page begins after a named entry. */
export const PageAfterId = <Entry extends TSchema>(entry: Entry) =>
  Type.Object({
    result: Type.Array(entry),
    pagination: Type.Optional(
      Type.Object(
        { OwnerId: Type.String(), Id: Type.String({ description: "The `offset` of the next page." }) },
        { description: "Absent on the last page." },
      ),
    ),
  });

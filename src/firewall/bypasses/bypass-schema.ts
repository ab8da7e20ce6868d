// The schemas of the bypass list. Existing clients expect this spelling of the members.
import type { TSchema } from "typebox";
import { DAY_MS, MINUTE_MS } from "../../platform/kernel/scheduling/clock.ts";
import { Nullable, OneOf } from "../../platform/kernel/contract.ts";
import { Type } from "typebox";
import { MS } from "../../platform/kernel/units.ts";

/** The domain of an entry for the whole project. */
export const WHOLE_PROJECT = "*";
/** Responses show this as the address of an entry for every client. */
export const ALL_SOURCES = "0.0.0.0/0";

export const MAX_BYPASSES = 1_000;
const MAX_TTL_DAYS = 365;

/** The target of an entry. A body has one of the first two members, and one of the other two. */
export const BYPASS_MEMBERS = {
  domain: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_544,
      description: "A host name, `*.name` for every name below it, or `*` for the whole project.",
    }),
  ),
  projectScope: Type.Optional(Type.Boolean({ description: "For the whole project, instead of `domain`." })),
  sourceIp: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 49,
      description: "Address or network, at least /16, or `0.0.0.0/0` or `::/0`. Bits after the prefix are ignored.",
    }),
  ),
  allSources: Type.Optional(Type.Boolean({ description: "For every client, instead of `sourceIp`." })),
};

/** A shorter time is one in seconds: nobody lets an address in for some seconds. */
const MIN_TTL_MS = MINUTE_MS;
export const Ttl = Type.Integer({
  ...MS,
  minimum: MIN_TTL_MS,
  maximum: MAX_TTL_DAYS * DAY_MS,
  description:
    `ms from now until the entry expires, a minute at least and at most ${MAX_TTL_DAYS} days. Without it the entry does not expire, except that one ` +
    "for every client and the whole project expires after a day.",
});

export const Note = Type.String({ maxLength: 500 });

const IDENTITY = {
  OwnerId: Type.String(),
  Id: Type.String({ description: "Begins with the project's name and `#`; the same for the same domain and network." }),
  Domain: Type.String({ description: "`*` for the whole project." }),
  Ip: Type.String({ description: "The address as it was sent; `0.0.0.0/0` for every client." }),
};

const IsProjectRule = Type.Boolean({ description: "Whether it is for the whole project." });

/** An entry in the response to adding it. */
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
    ActorId: Type.String({ description: "The id of the user or API key that last wrote it." }),
    UpdatedAt: time(),
    UpdatedAtHour: time("The hour of `UpdatedAt`."),
    ExpiresAt: Nullable(
      Type.Integer({ description: "The time at which it expires, in whole seconds since the epoch." }),
    ),
  },
  { title: "Bypass" },
);

/** A page of a list. `pagination.Id` is the entry after which the next page begins. */
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

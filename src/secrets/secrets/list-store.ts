// Statements for lists of secrets, one per filter.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import { preparePlaceAfter, prepareSorted } from "../../platform/store/sorted-list.ts";
import type { SecretRow } from "./store.ts";

/** The columns that lists need: reading every column takes a quarter longer. */
const LISTED = [
  "id",
  "ownerId",
  "name",
  "teamId",
  "projectId",
  "creatorId",
  "updaterId",
  "description",
  "tags",
  "decryptable",
  "version",
  "metadataVersion",
  "maxVersions",
  "expiresAt",
  "createdAt",
  "updatedAt",
  "deletedAt",
  "position",
] as const satisfies readonly (keyof SecretRow)[];
export type ListedSecret = Pick<SecretRow, (typeof LISTED)[number]>;

function ownSecrets<P extends { ownerId: string }>({ db, p }: Build<P>) {
  return db.selectFrom("secrets").select(LISTED).where("ownerId", "=", p("ownerId"));
}

export const listSecrets = prepare<{ ownerId: string }>("secrets.list").page((b) =>
  ownSecrets(b).where("deletedAt", "is", null),
);

/** What secrets must match; each member has a value that all match. */
export type SecretFilter = {
  /** In lower case. */
  readonly search: string;
  readonly tag: string | null;
  /** The last time of an end, ms; that of secrets without one is the greatest integer. */
  readonly endsBy: number;
};

/** A tag is looked up for each secret, by its key: of `exists` PostgreSQL may make a table of all secrets with the tag. */
function matching<P extends SecretFilter>({ p, contains }: Build<P>) {
  const hasTag = sql`(select tagged.position from secret_tags as tagged where tagged.owner_id = secrets.owner_id
    and tagged.tag = ${p("tag")} and tagged.position = secrets.position) is not null`;
  return sql<boolean>`${contains(sql.ref("nameKey"), "search")}
    and ends_at + 0 <= ${p("endsBy")}
    and case when cast(${p("tag")} as text) is null then true else ${hasTag} end`;
}

/** Secrets in the order of their positions that match. */
export const listFound = prepare<{ ownerId: string } & SecretFilter>("secrets.search").page((b) =>
  ownSecrets(b).where("deletedAt", "is", null).where(matching(b)),
);

/** The list position after some secrets of an owner. */
export const findSecretPosition = prepare<{ ownerId: string }>("secrets.findPosition").positionAfter(({ db, p }) =>
  db.selectFrom("secrets").select("position").where("ownerId", "=", p("ownerId")).where("deletedAt", "is", null),
);

/** Secrets deleted after `deletedAfter`; older ones only wait to be destroyed. */
export const listDeleted = prepare<{ ownerId: string; deletedAfter: number }>("secrets.listDeleted").page((b) =>
  ownSecrets(b).where("deletedAt", "is not", null).where("deletedAt", ">", b.p("deletedAfter")),
);

/** With the bare `deleted_at`, SQLite would choose the index of existing secrets and scan all of them. */
export const listOfProject = prepare<{ ownerId: string; projectId: string }>("secrets.listOfProject").page((b) =>
  ownSecrets(b)
    .where("projectId", "=", b.p("projectId"))
    .where(sql<boolean>`deleted_at + 0 is null`),
);

type Chosen = { ownerId: string; ids: string } & SecretFilter;

/** `ids` is a JSON array. With the bare `owner_id` or `position`, an engine would scan all secrets of the owner, or of all. */
const chosenSecrets = <P extends Chosen>(b: Build<P>) =>
  b.db
    .selectFrom("secrets")
    .select(LISTED)
    .where(b.isElement(sql.ref("id"), "ids"))
    .where(sql<boolean>`owner_id || '' = ${b.p("ownerId")}`)
    .where("deletedAt", "is", null)
    .where(matching(b));

export const listChosen = prepare<Chosen>("secrets.listChosen").page(chosenSecrets, sql<number>`position + 0`);

/** The ids of secrets with a tag, up to a limit. */
export const listTagged = prepare<{ ownerId: string; tag: string; limit: number }>("secrets.listTagged").many(
  ({ db, p }) =>
    db
      .selectFrom("secret_tags")
      .select("secretId as id")
      .where("ownerId", "=", p("ownerId"))
      .where("tag", "=", p("tag"))
      .limit(p("limit")),
);

/** The ids of secrets that end by a time, up to a limit. */
export const listEnding = prepare<{ ownerId: string; endsBy: number; limit: number }>("secrets.listEnding").many(
  ({ db, p }) =>
    db
      .selectFrom("secrets")
      .select("id")
      .where("ownerId", "=", p("ownerId"))
      .where("deletedAt", "is", null)
      .where("endsAt", "<=", p("endsBy"))
      .orderBy("endsAt")
      .limit(p("limit")),
);

/** The orders of the list: the column of each, and an expression of it that no index has. */
export const SECRET_SORTS = {
  name: { kind: "text", key: sql<string>`name_key`, bare: sql<string>`name_key || ''` },
  updatedAt: { kind: "number", key: sql<number>`updated_at`, bare: sql<number>`updated_at + 0` },
  expiresAt: { kind: "number", key: sql<number>`ends_at`, bare: sql<number>`ends_at + 0` },
} as const;

function declareSort(sort: keyof typeof SECRET_SORTS) {
  const { key, bare } = SECRET_SORTS[sort];
  const position = sql<number>`position`;
  type Own = { ownerId: string };
  return {
    /** All secrets. */
    list: prepareSorted<Own>(`secrets.list-by-${sort}`)((b) => ownSecrets(b).where("deletedAt", "is", null), {
      key,
      position,
    }),
    /** Those that match. */
    listFound: prepareSorted<Own & SecretFilter>(`secrets.search-by-${sort}`)(
      (b) => ownSecrets(b).where("deletedAt", "is", null).where(matching(b)),
      { key, position },
    ),
    findPlace: preparePlaceAfter<Own>(`secrets.findPlace-by-${sort}`)(
      ({ db, p }) => db.selectFrom("secrets").where("ownerId", "=", p("ownerId")).where("deletedAt", "is", null),
      { key, position },
    ),
    listChosen: prepareSorted<Chosen>(`secrets.listChosen-by-${sort}`)(chosenSecrets, {
      key: bare,
      position: sql<number>`position + 0`,
    }),
  };
}

export const SORTED = {
  name: declareSort("name"),
  updatedAt: declareSort("updatedAt"),
  expiresAt: declareSort("expiresAt"),
};

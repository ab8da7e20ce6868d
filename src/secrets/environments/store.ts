// Statements on environments and their versions.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

export type EnvironmentRow = Tables["environments"];

/** The conditions of the indexes by position and by age: a statement with one of them uses that index (migration 38). */
const IN_LIST = sql.lit(0);
const OF_AGE = sql.lit(0);

type Project = { ownerId: string; projectId: string };
type Named = Project & { name: string };

/** At most 50. */
export const listEnvironments = prepare<Project>("environments.list").many(({ db, p }) =>
  db
    .selectFrom("environments")
    .selectAll()
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .orderBy("name"),
);

/** In a join, PostgreSQL may read all versions of the project. */
const withDocuments = ({ db, p }: Build<Project>) =>
  db
    .selectFrom("environments as e")
    .selectAll("e")
    .select(({ selectFrom }) =>
      selectFrom("environment_versions as v")
        .select("v.document")
        .whereRef("v.owner_id", "=", "e.owner_id")
        .whereRef("v.project_id", "=", "e.project_id")
        .whereRef("v.name", "=", "e.name")
        .whereRef("v.version", "=", "e.version")
        .as("document"),
    )
    .$narrowType<{ document: string }>()
    .where("e.owner_id", "=", p("ownerId"))
    .where("e.project_id", "=", p("projectId"));

/** The environments with their documents. The limits of a project bound their size. */
export const listWithDocuments = prepare<Project>("environments.listWithDocuments").many((build) =>
  withDocuments(build).orderBy("e.name"),
);

/** The same of an environment and those that it inherits from. */
export const listLineWithDocuments = prepare<Named>("environments.listLineWithDocuments").many((build) => {
  const { p } = build;
  const ofProject = sql`owner_id = ${p("ownerId")} and project_id = ${p("projectId")}`;
  return withDocuments(build).where(
    sql<boolean>`e.name in (with recursive line (name, parent) as (
        select name, inherits_from from environments where ${ofProject} and name = ${p("name")}
        union
        select stored.name, stored.inherits_from from line
          inner join environments as stored on stored.name = line.parent and ${ofProject}
      ) select name from line)`,
  );
});

/** Inserts the environment, or sets what a new version changes. */
export const putEnvironment = prepare<
  Named & { inheritsFrom: string | null; version: number; entryCount: number; now: number }
>("environments.put").write(({ db, p }) =>
  db
    .insertInto("environments")
    .values({
      owner_id: p("ownerId"),
      project_id: p("projectId"),
      name: p("name"),
      inherits_from: p("inheritsFrom"),
      version: p("version"),
      entry_count: p("entryCount"),
      created_at: p("now"),
      updated_at: p("now"),
    })
    .onConflict((conflict) =>
      conflict.columns(["owner_id", "project_id", "name"]).doUpdateSet((eb) => ({
        inherits_from: eb.ref("excluded.inherits_from"),
        version: eb.ref("excluded.version"),
        entry_count: eb.ref("excluded.entry_count"),
        updated_at: eb.ref("excluded.updated_at"),
      })),
    ),
);

export const deleteEnvironment = prepare<Named>("environments.delete").write(({ db, p }) =>
  db
    .deleteFrom("environments")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("name", "=", p("name")),
);

export const insertVersion = prepare<
  Named & {
    version: number;
    document: string;
    size: number;
    changeCount: number;
    restoredFrom: number | null;
    note: string | null;
    creatorId: string | null;
    creatorName: string;
    now: number;
    position: number;
  }
>("environmentVersions.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("environment_versions").values({
    owner_id: p("ownerId"),
    project_id: p("projectId"),
    name: p("name"),
    version: p("version"),
    document: p("document"),
    size: p("size"),
    change_count: p("changeCount"),
    restored_from: p("restoredFrom"),
    note: p("note"),
    creator_id: p("creatorId"),
    creator_name: p("creatorName"),
    created_at: p("now"),
    position: nextPosition(
      "environment_versions",
      [
        { column: "owner_id", param: "ownerId" },
        { column: "project_id", param: "projectId" },
        { column: "name", param: "name" },
      ],
      "position",
      "version",
    ),
  }),
);

/** Deletes the versions up to `last`. */
export const deleteVersionsUpTo = prepare<Named & { last: number }>("environmentVersions.deleteUpTo").write(
  ({ db, p }) =>
    db
      .deleteFrom("environment_versions")
      .where("owner_id", "=", p("ownerId"))
      .where("project_id", "=", p("projectId"))
      .where("name", "=", p("name"))
      .where("version", "<=", p("last")),
);

/** The bytes of all versions of an owner. */
export const sumSizes = prepare<{ ownerId: string }>("environmentVersions.sumSizes").one(({ db, p }) =>
  db
    .selectFrom("environment_versions")
    .select(({ fn }) => fn.coalesce(fn.sum<number>("size"), sql<number>`0`).as("bytes"))
    .where("owner_id", "=", p("ownerId"))
    .where("size", ">=", OF_AGE),
);

/** The oldest versions of an owner that are no environment's newest. */
export const listOldest = prepare<{ ownerId: string; limit: number }>("environmentVersions.listOldest").many(
  ({ db, p }) =>
    db
      .selectFrom("environment_versions as v")
      .select(["v.project_id as projectId", "v.name as name", "v.version as version", "v.size as size"])
      .where("v.owner_id", "=", p("ownerId"))
      .where("v.size", ">=", OF_AGE)
      .where("v.version", "<>", ({ selectFrom }) =>
        selectFrom("environments as e")
          .select("e.version")
          .whereRef("e.owner_id", "=", "v.owner_id")
          .whereRef("e.project_id", "=", "v.project_id")
          .whereRef("e.name", "=", "v.name"),
      )
      .orderBy("v.position")
      .limit(p("limit")),
);

export const deleteVersion = prepare<Named & { version: number }>("environmentVersions.delete").run(({ db, p }) =>
  db
    .deleteFrom("environment_versions")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", "=", p("version")),
);

/** Every column but the document. */
const METADATA = [
  "version",
  "size",
  "change_count",
  "restored_from",
  "note",
  "creator_id",
  "creator_name",
  "created_at",
  "position",
] as const satisfies readonly (keyof Tables["environment_versions"])[];
export type VersionMetadata = Pick<Tables["environment_versions"], (typeof METADATA)[number]>;

/** Enough of a document's beginning to read what it inherits from: a name has at most 32 letters. */
const HEAD_LENGTH = 64;

export const listVersions = prepare<Named>("environmentVersions.list").page(({ db, p }) =>
  db
    .selectFrom("environment_versions")
    .select(METADATA)
    .select((eb) => eb.fn<string>("substr", ["document", eb.lit(1), eb.lit(HEAD_LENGTH)]).as("head"))
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", ">", IN_LIST),
);

export const findVersion = prepare<Named & { version: number }>("environmentVersions.find").one(({ db, p }) =>
  db
    .selectFrom("environment_versions")
    .select(METADATA)
    .select("document")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", "=", p("version")),
);

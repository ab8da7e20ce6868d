// Statements on environments and their versions.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { selectTotal } from "../../platform/store/version-totals.ts";

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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
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
        .whereRef("v.ownerId", "=", "e.ownerId")
        .whereRef("v.projectId", "=", "e.projectId")
        .whereRef("v.name", "=", "e.name")
        .whereRef("v.version", "=", "e.version")
        .as("document"),
    )
    .$narrowType<{ document: string }>()
    .where("e.ownerId", "=", p("ownerId"))
    .where("e.projectId", "=", p("projectId"));

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
>("environments.put").write(({ db, p, excluded, params }) =>
  db
    .insertInto("environments")
    .values({
      ...params("ownerId", "projectId", "name", "inheritsFrom", "version", "entryCount"),
      createdAt: p("now"),
      updatedAt: p("now"),
    })
    .onConflict((conflict) =>
      conflict
        .columns(["ownerId", "projectId", "name"])
        .doUpdateSet(excluded("inheritsFrom", "version", "entryCount", "updatedAt")),
    ),
);

export const deleteEnvironment = prepare<Named>("environments.delete").write(({ db, p }) =>
  db
    .deleteFrom("environments")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("name", "=", p("name")),
);

export const insertVersion = prepare<Named & { now: number; position: number }>("environmentVersions.insert").insert(
  "environment_versions",
  ({ p, nextPosition }) => ({
    createdAt: p("now"),
    position: nextPosition(
      "environment_versions",
      [
        { column: "ownerId", param: "ownerId" },
        { column: "projectId", param: "projectId" },
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
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("name", "=", p("name"))
      .where("version", "<=", p("last")),
);

/** The bytes of all versions of an owner. */
export const sumSizes = prepare<{ ownerId: string }>("environmentVersions.sumSizes").one((build) =>
  selectTotal(build, "environment_versions"),
);

/** The oldest versions of an owner that are no environment's newest. */
export const listOldest = prepare<{ ownerId: string; limit: number }>("environmentVersions.listOldest").many(
  ({ db, p }) =>
    db
      .selectFrom("environment_versions as v")
      .select(["v.projectId", "v.name", "v.version", "v.size"])
      .where("v.ownerId", "=", p("ownerId"))
      .where("v.size", ">=", OF_AGE)
      .where("v.version", "<>", ({ selectFrom }) =>
        selectFrom("environments as e")
          .select("e.version")
          .whereRef("e.ownerId", "=", "v.ownerId")
          .whereRef("e.projectId", "=", "v.projectId")
          .whereRef("e.name", "=", "v.name"),
      )
      .orderBy("v.position")
      .limit(p("limit")),
);

export const deleteVersion = prepare<Named & { version: number }>("environmentVersions.delete").run(({ db, p }) =>
  db
    .deleteFrom("environment_versions")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", "=", p("version")),
);

/** Every column but the document. */
const METADATA = [
  "version",
  "size",
  "changeCount",
  "restoredFrom",
  "note",
  "creatorId",
  "creatorName",
  "createdAt",
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
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", ">", IN_LIST),
);

export const findVersion = prepare<Named & { version: number }>("environmentVersions.find").one(({ db, p }) =>
  db
    .selectFrom("environment_versions")
    .select(METADATA)
    .select("document")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("name", "=", p("name"))
    .where("version", "=", p("version")),
);

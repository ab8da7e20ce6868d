// Statements on firewall configurations and their versions.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";
import { selectTotal } from "../../platform/store/version-totals.ts";

type Project = { ownerId: string; projectId: string };

export type FirewallRow = Tables["firewalls"] & { readonly activeDocument: string | null };

/** The conditions of the indexes by position and by age: a statement with one of them uses that index (migration 38). */
const IN_LIST = sql.lit(0);
const OF_AGE = sql.lit(0);

function firewallOf({ db, p }: Build<Project>) {
  return db
    .selectFrom("firewalls as f")
    .where("f.ownerId", "=", p("ownerId"))
    .where("f.projectId", "=", p("projectId"));
}

/** In a join of both, PostgreSQL may read all versions of the project. */
function activeVersion(b: Build<Project>) {
  const { db, p } = b;
  return db
    .selectFrom("firewall_versions as v")
    .where("v.ownerId", "=", p("ownerId"))
    .where("v.projectId", "=", p("projectId"))
    .where("v.version", "=", firewallOf(b).select("f.activeVersion"));
}

/** The id and number of the active version: the most frequent read. */
export const findActiveVersion = prepare<Project>("firewalls.findActiveVersion").one((b) =>
  activeVersion(b).select(["v.id", "v.version", firewallOf(b).select("f.crsEngine").as("engine")]),
);

export const findActive = prepare<Project>("firewalls.findActive").one((b) =>
  activeVersion(b).select(["v.version", "v.document", "v.basedOn"]),
);

type Version = Project & { version: number };

function oneVersion({ db, p }: Build<Version>) {
  return db
    .selectFrom("firewall_versions")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("version", "=", p("version"));
}

export const findVersion = prepare<Version>("firewallVersions.find").one((b) =>
  oneVersion(b).select(["version", "document", "basedOn"]),
);

export const findSize = prepare<Version>("firewallVersions.findSize").one((b) =>
  oneVersion(b).select(["projectId", "version", "size"]),
);

/** A firewall with the document of its active version, read in one statement so that they are consistent. */
export const findFirewall = prepare<Project>("firewalls.find").one((b) =>
  firewallOf(b)
    .selectAll("f")
    .select(({ selectFrom }) =>
      selectFrom("firewall_versions as v")
        .select("v.document")
        .whereRef("v.ownerId", "=", "f.ownerId")
        .whereRef("v.projectId", "=", "f.projectId")
        .whereRef("v.version", "=", "f.activeVersion")
        .as("activeDocument"),
    ),
);

/** Does nothing when the row exists. */
export const insertFirewall = prepare<Project>("firewalls.insert").write(({ db, p }) =>
  db
    .insertInto("firewalls")
    .values({ ownerId: p("ownerId"), projectId: p("projectId"), lastVersion: 0, draftRevision: 0 })
    .onConflict((conflict) => conflict.columns(["ownerId", "projectId"]).doNothing()),
);

export const insertVersion = prepare<{ now: number; position: number }>("firewallVersions.insert").insert(
  "firewall_versions",
  ({ p, nextPosition }) => ({
    createdAt: p("now"),
    position: nextPosition(
      "firewall_versions",
      [
        { column: "ownerId", param: "ownerId" },
        { column: "projectId", param: "projectId" },
      ],
      "position",
      "version",
    ),
  }),
);

/** Activates a version. */
export const activateVersion = prepare<Project & { version: number; lastVersion: number; now: number }>(
  "firewalls.activate",
).write(({ db, p }) =>
  db
    .updateTable("firewalls")
    .set((eb) => ({
      activeVersion: p("version"),
      lastVersion: p("lastVersion"),
      activatedAt: p("now"),
      // A draft is applied to the active version, so its revision changes too.
      draftRevision: eb("draftRevision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** `changes` is a JSON array; null removes the draft. */
export const setDraft = prepare<
  Project & {
    changes: string | null;
    note: string | null;
    creatorId: string | null;
    creatorName: string | null;
    now: number | null;
  }
>("firewalls.setDraft").write(({ db, p }) =>
  db
    .updateTable("firewalls")
    .set(({ eb }) => ({
      draftChanges: p("changes"),
      draftNote: p("note"),
      draftCreatorId: p("creatorId"),
      draftCreatorName: p("creatorName"),
      draftUpdatedAt: p("now"),
      draftRevision: eb("draftRevision", "+", 1),
    }))
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** Lists versions without their documents, which may be large: one row more than the page holds. */
export const listVersions = prepare<Project>("firewallVersions.list").page(({ db, p }) =>
  db
    .selectFrom("firewall_versions")
    .select(["version", "size", "position"])
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("version", ">", IN_LIST),
);

/** The documents of the versions from `first` to `last`, newest first. The caller bounds their number. */
export const listDocuments = prepare<Project & { first: number; last: number }>("firewallVersions.listDocuments").many(
  ({ db, p }) =>
    db
      .selectFrom("firewall_versions")
      .select(["document"])
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("version", ">=", p("first"))
      .where("version", "<=", p("last"))
      .orderBy("version", "desc"),
);

/** The bytes of all versions of an owner. */
export const sumSizes = prepare<{ ownerId: string }>("firewallVersions.sumSizes").one((build) =>
  selectTotal(build, "firewall_versions"),
);

/** Versions that are not in use: neither active in their project nor `before`, the one that was active before a change of `projectId`. */
function unused<P extends Project & { before: number }>({ db, p }: Build<P>) {
  return db
    .selectFrom("firewall_versions as v")
    .select(["v.projectId", "v.version", "v.size"])
    .where("v.ownerId", "=", p("ownerId"))
    .where("v.version", "<>", ({ selectFrom }) =>
      selectFrom("firewalls as f")
        .select("f.activeVersion")
        .whereRef("f.ownerId", "=", "v.ownerId")
        .whereRef("f.projectId", "=", "v.projectId"),
    )
    .where((eb) => eb.not(eb.and([eb("v.projectId", "=", p("projectId")), eb("v.version", "=", p("before"))])));
}

/** The oldest of an owner. */
export const listOldest = prepare<Project & { before: number; limit: number }>("firewallVersions.listOldest").many(
  (build) => unused(build).where("v.size", ">=", OF_AGE).orderBy("v.position").limit(build.p("limit")),
);

/** The oldest of a project, up to the version `last`. */
export const listOldestOfProject = prepare<Project & { before: number; last: number; limit: number }>(
  "firewallVersions.listOldestOfProject",
).many((build) =>
  unused(build)
    .where("v.projectId", "=", build.p("projectId"))
    .where("v.version", "<=", build.p("last"))
    .orderBy("v.version")
    .limit(build.p("limit")),
);

export const deleteVersion = prepare<Project & { version: number }>("firewallVersions.delete").run(({ db, p }) =>
  db
    .deleteFrom("firewall_versions")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("version", "=", p("version")),
);

export const findEngine = prepare<Project>("firewalls.findEngine").one(({ db, p }) =>
  db
    .selectFrom("firewalls")
    .select("crsEngine as engine")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

export const setEngine = prepare<Project & { engine: string; now: number }>("firewalls.setEngine").write(({ db, p }) =>
  db
    .updateTable("firewalls")
    .set({ crsEngine: p("engine"), crsEngineAt: p("now") })
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** Of all owners; returns the number of rows. */
export const clearEngines = prepare<{ before: number }>("firewalls.clearEngines").run(({ db, p }) =>
  db.updateTable("firewalls").set({ crsEngine: null, crsEngineAt: null }).where("crsEngineAt", "<", p("before")),
);

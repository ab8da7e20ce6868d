// Statements on firewall configurations and their versions.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
import type { Tables } from "../../platform/store/tables/tables.ts";

type Project = { ownerId: string; projectId: string };

export type FirewallRow = Tables["firewalls"] & { readonly active_document: string | null };

/** The conditions of the indexes by position and by age: a statement with one of them uses that index (migration 38). */
const IN_LIST = sql.lit(0);
const OF_AGE = sql.lit(0);

function firewallOf({ db, p }: Build<Project>) {
  return db
    .selectFrom("firewalls as f")
    .where("f.owner_id", "=", p("ownerId"))
    .where("f.project_id", "=", p("projectId"));
}

/** In a join of both, PostgreSQL may read all versions of the project. */
function activeVersion(b: Build<Project>) {
  const { db, p } = b;
  return db
    .selectFrom("firewall_versions as v")
    .where("v.owner_id", "=", p("ownerId"))
    .where("v.project_id", "=", p("projectId"))
    .where("v.version", "=", firewallOf(b).select("f.active_version"));
}

/** The id and number of the active version: the most frequent read. */
export const findActiveVersion = prepare<Project>("firewalls.findActiveVersion").one((b) =>
  activeVersion(b).select(["v.id as id", "v.version as version", firewallOf(b).select("f.crs_engine").as("engine")]),
);

export const findActive = prepare<Project>("firewalls.findActive").one((b) =>
  activeVersion(b).select(["v.version as version", "v.document as document", "v.based_on as based_on"]),
);

type Version = Project & { version: number };

function oneVersion({ db, p }: Build<Version>) {
  return db
    .selectFrom("firewall_versions")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("version", "=", p("version"));
}

export const findVersion = prepare<Version>("firewallVersions.find").one((b) =>
  oneVersion(b).select(["version", "document", "based_on"]),
);

export const findSize = prepare<Version>("firewallVersions.findSize").one((b) =>
  oneVersion(b).select(["project_id as projectId", "version", "size"]),
);

/** A firewall with the document of its active version, read in one statement so that they are consistent. */
export const findFirewall = prepare<Project>("firewalls.find").one((b) =>
  firewallOf(b)
    .selectAll("f")
    .select(({ selectFrom }) =>
      selectFrom("firewall_versions as v")
        .select("v.document")
        .whereRef("v.owner_id", "=", "f.owner_id")
        .whereRef("v.project_id", "=", "f.project_id")
        .whereRef("v.version", "=", "f.active_version")
        .as("active_document"),
    ),
);

/** Does nothing when the row exists. */
export const insertFirewall = prepare<Project>("firewalls.insert").write(({ db, p }) =>
  db
    .insertInto("firewalls")
    .values({ owner_id: p("ownerId"), project_id: p("projectId"), last_version: 0, draft_revision: 0 })
    .onConflict((conflict) => conflict.columns(["owner_id", "project_id"]).doNothing()),
);

export const insertVersion = prepare<
  Project & {
    version: number;
    id: string;
    basedOn: number | null;
    isEnabled: number;
    changeCount: number;
    cost: number;
    note: string | null;
    creatorId: string | null;
    creatorName: string;
    now: number;
    position: number;
    size: number;
    document: string;
  }
>("firewallVersions.insert").write(({ db, p, nextPosition }) =>
  db.insertInto("firewall_versions").values({
    owner_id: p("ownerId"),
    project_id: p("projectId"),
    version: p("version"),
    id: p("id"),
    based_on: p("basedOn"),
    is_enabled: p("isEnabled"),
    change_count: p("changeCount"),
    cost: p("cost"),
    note: p("note"),
    creator_id: p("creatorId"),
    creator_name: p("creatorName"),
    created_at: p("now"),
    position: nextPosition(
      "firewall_versions",
      [
        { column: "owner_id", param: "ownerId" },
        { column: "project_id", param: "projectId" },
      ],
      "position",
      "version",
    ),
    size: p("size"),
    document: p("document"),
  }),
);

/** Activates a version. */
export const activateVersion = prepare<Project & { version: number; lastVersion: number; now: number }>(
  "firewalls.activate",
).write(({ db, p }) =>
  db
    .updateTable("firewalls")
    .set((eb) => ({
      active_version: p("version"),
      last_version: p("lastVersion"),
      activated_at: p("now"),
      // A draft is applied to the active version, so its revision changes too.
      draft_revision: eb("draft_revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
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
      draft_changes: p("changes"),
      draft_note: p("note"),
      draft_creator_id: p("creatorId"),
      draft_creator_name: p("creatorName"),
      draft_updated_at: p("now"),
      draft_revision: eb("draft_revision", "+", 1),
    }))
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
);

/** Lists versions without their documents, which may be large: one row more than the page holds. */
export const listVersions = prepare<Project>("firewallVersions.list").page(({ db, p }) =>
  db
    .selectFrom("firewall_versions")
    .select(["version", "size", "position"])
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("version", ">", IN_LIST),
);

/** The documents of the versions from `first` to `last`, newest first. The caller bounds their number. */
export const listDocuments = prepare<Project & { first: number; last: number }>("firewallVersions.listDocuments").many(
  ({ db, p }) =>
    db
      .selectFrom("firewall_versions")
      .select(["document"])
      .where("owner_id", "=", p("ownerId"))
      .where("project_id", "=", p("projectId"))
      .where("version", ">=", p("first"))
      .where("version", "<=", p("last"))
      .orderBy("version", "desc"),
);

/** The bytes of all versions of an owner. */
export const sumSizes = prepare<{ ownerId: string }>("firewallVersions.sumSizes").one(({ db, p }) =>
  db
    .selectFrom("firewall_versions")
    .select(({ fn }) => fn.coalesce(fn.sum<number>("size"), sql<number>`0`).as("bytes"))
    .where("owner_id", "=", p("ownerId"))
    .where("size", ">=", OF_AGE),
);

/** Versions that are not in use: neither active in their project nor `before`, the one that was active before a change of `projectId`. */
function unused<P extends Project & { before: number }>({ db, p }: Build<P>) {
  return db
    .selectFrom("firewall_versions as v")
    .select(["v.project_id as projectId", "v.version as version", "v.size as size"])
    .where("v.owner_id", "=", p("ownerId"))
    .where("v.version", "<>", ({ selectFrom }) =>
      selectFrom("firewalls as f")
        .select("f.active_version")
        .whereRef("f.owner_id", "=", "v.owner_id")
        .whereRef("f.project_id", "=", "v.project_id"),
    )
    .where((eb) => eb.not(eb.and([eb("v.project_id", "=", p("projectId")), eb("v.version", "=", p("before"))])));
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
    .where("v.project_id", "=", build.p("projectId"))
    .where("v.version", "<=", build.p("last"))
    .orderBy("v.version")
    .limit(build.p("limit")),
);

export const deleteVersion = prepare<Project & { version: number }>("firewallVersions.delete").run(({ db, p }) =>
  db
    .deleteFrom("firewall_versions")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId"))
    .where("version", "=", p("version")),
);

export const findEngine = prepare<Project>("firewalls.findEngine").one(({ db, p }) =>
  db
    .selectFrom("firewalls")
    .select("crs_engine as engine")
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
);

export const setEngine = prepare<Project & { engine: string; now: number }>("firewalls.setEngine").write(({ db, p }) =>
  db
    .updateTable("firewalls")
    .set({ crs_engine: p("engine"), crs_engine_at: p("now") })
    .where("owner_id", "=", p("ownerId"))
    .where("project_id", "=", p("projectId")),
);

/** Of all owners; returns the number of rows. */
export const clearEngines = prepare<{ before: number }>("firewalls.clearEngines").run(({ db, p }) =>
  db.updateTable("firewalls").set({ crs_engine: null, crs_engine_at: null }).where("crs_engine_at", "<", p("before")),
);

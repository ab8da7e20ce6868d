// Statements on projects.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/build.ts";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import type { Awaitable, Tx } from "../../platform/kernel/tx.ts";

/** Does nothing when the project exists. */
export const insertProject = prepare<{
  ownerId: string;
  id: string;
  teamId: string | null;
  userId: string | null;
  now: number;
  position: number;
}>("projects.insert").run(({ db, p, nextPosition, params }) =>
  db
    .insertInto("projects")
    .values({
      ...params("ownerId", "id", "teamId", "userId"),
      createdAt: p("now"),
      position: nextPosition("projects", { column: "ownerId", param: "ownerId" }),
    })
    .onConflict((conflict) => conflict.columns(["ownerId", "id"]).doNothing()),
);

/** The number of an owner's projects, up to a limit. */
export const countProjects = prepare<{ ownerId: string; limit: number }>("projects.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(db.selectFrom("projects").select("id").where("ownerId", "=", p("ownerId")).limit(p("limit")).as("some"))
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

/** The projects of an owner with their protection. */
function ownProjects<P extends { ownerId: string }>({ db, p }: Build<P>) {
  // The bare column equals the parameter, and PostgreSQL may then join all rows of the owner to each project.
  const ofProject = sql<string>`${sql.ref("project.ownerId")} || ''`;
  return db
    .selectFrom("projects as project")
    .leftJoin("attack_modes as mode", (join) =>
      join.on("mode.ownerId", "=", ofProject).onRef("mode.projectId", "=", "project.id"),
    )
    .leftJoin("firewalls as firewall", (join) =>
      join.on("firewall.ownerId", "=", ofProject).onRef("firewall.projectId", "=", "project.id"),
    )
    .select([
      "project.id",
      "project.createdAt",
      "project.position",
      "mode.isEnabled as modeIsEnabled",
      "mode.activeUntil as modeActiveUntil",
      "mode.updatedAt as modeUpdatedAt",
      "mode.revision as modeRevision",
      "firewall.activeVersion as firewallVersion",
      "firewall.activatedAt as firewallActivatedAt",
      "firewall.draftUpdatedAt",
    ])
    .select(({ selectFrom }) =>
      selectFrom("firewall_versions as version")
        .select("version.isEnabled")
        .whereRef("version.ownerId", "=", "firewall.ownerId")
        .whereRef("version.projectId", "=", "firewall.projectId")
        .whereRef("version.version", "=", "firewall.activeVersion")
        .as("firewallIsEnabled"),
    )
    .where("project.ownerId", "=", p("ownerId"));
}

export const findProject = prepare<{ ownerId: string; id: string }>("projects.find").one((b) =>
  ownProjects(b).where("project.id", "=", b.p("id")),
);

export type ProjectRow = NonNullable<Awaited<ReturnType<typeof findProject>>>;

const listAll = prepare<{ ownerId: string }>("projects.list").page((b) => ownProjects(b), "project.position");

const listFound = prepare<{ ownerId: string; search: string }>("projects.search").page(
  // Names of projects are ASCII, which both engines lower-case alike.
  (b) => ownProjects(b).where(b.contains(sql<string>`lower(${sql.ref("project.id")})`, "search")),
  "project.position",
);

/** The list position after some projects of an owner. */
export const findProjectPosition = prepare<{ ownerId: string }>("projects.findPosition").positionAfter(({ db, p }) =>
  db.selectFrom("projects").select("position").where("ownerId", "=", p("ownerId")),
);

/** Returns up to one row more than the page shows. */
export function listProjects(tx: Tx, ownerId: string, bounds: PageBounds): Awaitable<ProjectRow[]> {
  return listAll(tx, { ownerId }, bounds);
}

/** Like `listProjects`, of projects whose name contains a text. */
export function searchProjects(tx: Tx, ownerId: string, search: string, bounds: PageBounds): Awaitable<ProjectRow[]> {
  return listFound(tx, { ownerId, search: search.toLowerCase() }, bounds);
}

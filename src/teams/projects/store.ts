// Statements on projects.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";
import type { Build } from "../../platform/store/prepared.ts";
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
}>("projects.insert").run(({ db, p, nextPosition }) =>
  db
    .insertInto("projects")
    .values({
      owner_id: p("ownerId"),
      id: p("id"),
      team_id: p("teamId"),
      user_id: p("userId"),
      created_at: p("now"),
      position: nextPosition("projects", { column: "owner_id", param: "ownerId" }),
    })
    .onConflict((conflict) => conflict.columns(["owner_id", "id"]).doNothing()),
);

/** The number of an owner's projects, up to a limit. */
export const countProjects = prepare<{ ownerId: string; limit: number }>("projects.countUpTo").one(({ db, p }) =>
  db
    .selectFrom(
      db.selectFrom("projects").select("id").where("owner_id", "=", p("ownerId")).limit(p("limit")).as("some"),
    )
    .select(({ fn }) => fn.countAll<number>().as("count")),
);

/** The projects of an owner with their protection. */
function ownProjects<P extends { ownerId: string }>({ db, p }: Build<P>) {
  // The bare column equals the parameter, and PostgreSQL may then join all rows of the owner to each project.
  const ofProject = sql<string>`${sql.ref("project.owner_id")} || ''`;
  return db
    .selectFrom("projects as project")
    .leftJoin("attack_modes as mode", (join) =>
      join.on("mode.owner_id", "=", ofProject).onRef("mode.project_id", "=", "project.id"),
    )
    .leftJoin("firewalls as firewall", (join) =>
      join.on("firewall.owner_id", "=", ofProject).onRef("firewall.project_id", "=", "project.id"),
    )
    .select([
      "project.id as id",
      "project.created_at as created_at",
      "project.position as position",
      "mode.is_enabled as mode_is_enabled",
      "mode.active_until as mode_active_until",
      "mode.updated_at as mode_updated_at",
      "mode.revision as mode_revision",
      "firewall.active_version as firewall_version",
      "firewall.activated_at as firewall_activated_at",
      "firewall.draft_updated_at as draft_updated_at",
    ])
    .select(({ selectFrom }) =>
      selectFrom("firewall_versions as version")
        .select("version.is_enabled")
        .whereRef("version.owner_id", "=", "firewall.owner_id")
        .whereRef("version.project_id", "=", "firewall.project_id")
        .whereRef("version.version", "=", "firewall.active_version")
        .as("firewall_is_enabled"),
    )
    .where("project.owner_id", "=", p("ownerId"));
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
  db.selectFrom("projects").select("position").where("owner_id", "=", p("ownerId")),
);

/** Returns up to one row more than the page shows. */
export function listProjects(tx: Tx, ownerId: string, bounds: PageBounds): Awaitable<ProjectRow[]> {
  return listAll(tx, { ownerId }, bounds);
}

/** Like `listProjects`, of projects whose name contains a text. */
export function searchProjects(tx: Tx, ownerId: string, search: string, bounds: PageBounds): Awaitable<ProjectRow[]> {
  return listFound(tx, { ownerId, search: search.toLowerCase() }, bounds);
}

// Statements on the list of members. Every read is bounded by the number of positions that it scans (list.ts).
import { sql } from "kysely";
import type { Expression } from "kysely";
import type { PageBounds } from "../../platform/kernel/pagination.ts";
import type { TeamRole } from "../../platform/kernel/roles.ts";
import type { Tx } from "../../platform/kernel/tx.ts";
import { LAST_NUMBER, countOfRange, rangeOf } from "../../platform/store/list-order.ts";
import { prepare } from "../../platform/store/prepared.ts";
import { MEMBERSHIP_COLUMNS, PERSON_COLUMNS, membershipOf, personOf } from "./row.ts";
import type { Membership, Person } from "./row.ts";

interface Positioned {
  readonly person: Person;
  readonly membership: Membership;
  readonly invite: null;
  readonly position: number;
}

type ListParams = Readonly<{
  teamId: string;
  after: number;
  before: number;
  limit: number;
  role: string | null;
  /** JSON array of account ids. */
  userIds: string;
  excluded: string | null;
  eligible: string | null;
}>;

/**
 * A page of members. The filter decides which index leads: the order of the list, that order within a role, or the named
 * accounts.
 */
function declareList(lead: "everyone" | "role" | "accounts", direction: "asc" | "desc") {
  return prepare<ListParams>(`members.list.${lead}.${direction}`).many(({ db, p, elements, isNotRemoved }) => {
    // As an alternative (`or`), PostgreSQL would expect hardly any row, and read a role whole to sort it.
    const unlessNull = (name: "role" | "excluded" | "eligible", condition: Expression<boolean>) =>
      sql<boolean>`case when cast(${p(name)} as text) is null then true else ${condition} end`;
    // One serialiser writes the JSON of grants, so a search for the text of a member finds a grant, case-sensitively on both
    // engines.
    const lacksProject = (name: "excluded" | "eligible") =>
      sql<boolean>`replace(m.projects, cast(${p(name)} as text), '') = m.projects`;
    const page = db
      .selectFrom("memberships as m")
      .innerJoin("users as user", "user.id", "m.userId")
      .select([...PERSON_COLUMNS, ...MEMBERSHIP_COLUMNS, "m.position"])
      .where(({ ref }) => isNotRemoved(ref("user.id")))
      .where(unlessNull("excluded", lacksProject("excluded")))
      .where(unlessNull("eligible", sql`m.state = 'member' and ${lacksProject("eligible")}`))
      .limit(p("limit"));
    const columns = ["m.teamId", "m.role", "m.position"].map((column) => sql.ref(column));
    const bounds = { after: p("after"), before: p("before") };
    const inRole = rangeOf({ columns, values: [p("teamId"), p("role")] }, bounds, direction);
    switch (lead) {
      case "everyone":
        return page
          .where("m.teamId", "=", p("teamId"))
          .where("m.position", ">", p("after"))
          .where("m.position", "<", p("before"))
          .orderBy("m.position", direction);
      case "role":
        return page.where(inRole.isWithin).orderBy(inRole.inOrder);
      case "accounts":
        // Sorts the accounts that are named: for the bare column, SQLite would scan the whole list.
        return page
          .where("m.teamId", "=", p("teamId"))
          .where("m.userId", "in", elements("userIds"))
          .where(unlessNull("role", sql`m.role = cast(${p("role")} as text)`))
          .where(sql<boolean>`m.position + 0 > ${p("after")}`)
          .where(sql<boolean>`m.position + 0 < ${p("before")}`)
          .orderBy(sql`m.position + 0`, direction);
    }
  });
}

const LISTS = {
  everyone: { asc: declareList("everyone", "asc"), desc: declareList("everyone", "desc") },
  role: { asc: declareList("role", "asc"), desc: declareList("role", "desc") },
  accounts: { asc: declareList("accounts", "asc"), desc: declareList("accounts", "desc") },
};

/** The list position after some members of a team. */
const findPosition = prepare<{ teamId: string }>("members.findPositionAfter").positionAfter(({ db, p }) =>
  db.selectFrom("memberships").select("position").where("teamId", "=", p("teamId")),
);

type RoleParams = Readonly<{ teamId: string; role: string; after: number; before: number; skip: number }>;

/** The same within one role, whose index leads. */
const declareFindInRole = (direction: "asc" | "desc") =>
  prepare<RoleParams>(`members.findPositionAfter.role.${direction}`).one(({ db, p }) => {
    const columns = ["teamId", "role", "position"].map((column) => sql.ref(column));
    const key = { columns, values: [p("teamId"), p("role")] };
    const { isWithin, inOrder } = rangeOf(key, { after: p("after"), before: p("before") }, direction);
    return db
      .selectFrom("memberships")
      .select("position")
      .where(isWithin)
      .orderBy(inOrder)
      .limit(1)
      .offset(sql<number>`cast(${p("skip")} as integer)`);
  });
const FIND_IN_ROLE = { asc: declareFindInRole("asc"), desc: declareFindInRole("desc") };

/** The accounts with a role, up to a limit. */
export const listOfRole = prepare<{ teamId: string; role: string; limit: number }>("members.listOfRole").many(
  ({ db, p }) =>
    db
      .selectFrom("memberships")
      .select("userId")
      .where("teamId", "=", p("teamId"))
      .where("role", "=", p("role"))
      .limit(p("limit")),
);

/** How many members have each of some roles, counted up to a limit. `roles` is a JSON array of `{role}`. */
export const countRoles = prepare<{ teamId: string; roles: string; limit: number }>("members.countRoles").many(
  ({ db, p, objects, member }) => {
    const columns = ["teamId", "role", "position"].map((column) => sql.ref(column));
    const key = { columns, values: [p("teamId"), member("role")] };
    const ends = { after: sql.lit(-1), before: LAST_NUMBER };
    const count = countOfRange("memberships", key, ends, sql`state = 'member'`, p("limit"));
    return db.selectFrom(objects("roles")).select([member("role").as("role"), count.as("count")]);
  },
);

export interface MemberFilter {
  readonly role?: TeamRole;
  readonly userIds?: readonly string[];
  readonly excludeProject?: string;
  readonly eligibleMembersForProjectId?: string;
}

export function projectNeedle(projectId: string | undefined): string | null {
  return projectId === undefined ? null : `"projectId":${JSON.stringify(projectId)}`;
}

/** The position after `skip` rows of a list with this filter; undefined when there are no more. */
export async function findPositionAfter(
  tx: Tx,
  teamId: string,
  { role }: MemberFilter,
  bounds: PageBounds,
  skip: number,
): Promise<number | undefined> {
  if (!role) return await findPosition(tx, { teamId }, bounds, skip);
  const { after, before, isForward } = bounds;
  return (await FIND_IN_ROLE[isForward ? "asc" : "desc"](tx, { teamId, role, after, before, skip }))?.position;
}

/** One row more than the page holds, newest first, or oldest first when `bounds.isForward`. */
export async function listMembers(
  tx: Tx,
  teamId: string,
  filter: MemberFilter,
  bounds: PageBounds,
): Promise<Positioned[]> {
  const { role, userIds, excludeProject, eligibleMembersForProjectId } = filter;
  const lead = userIds ? "accounts" : role ? "role" : "everyone";
  const rows = await LISTS[lead][bounds.isForward ? "asc" : "desc"](tx, {
    teamId,
    after: bounds.after,
    before: bounds.before,
    limit: bounds.limit + 1,
    role: role ?? null,
    userIds: JSON.stringify(userIds ?? []),
    excluded: projectNeedle(excludeProject),
    eligible: projectNeedle(eligibleMembersForProjectId),
  });
  return rows.map((row) => ({
    person: personOf(row),
    membership: membershipOf(row),
    invite: null,
    position: row.position,
  }));
}

/** When accounts last used a session or a token, ms; `userIds` is a JSON array, of a page. */
export const listActivity = prepare<{ userIds: string }>("members.listActivity").many(({ db, isElement }) => {
  const last = (table: "sessions" | "access_tokens") =>
    sql<number | null>`(select max(used.active_at) from ${sql.table(table)} as used where used.user_id = users.id)`;
  return db
    .selectFrom("users")
    .select(["id", last("sessions").as("session"), last("access_tokens").as("token")])
    .where(isElement(sql.ref("id"), "userIds"));
});

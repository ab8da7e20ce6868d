// Statements on sampled decisions. Lists of rows are passed as JSON arrays of objects.
import { sql } from "kysely";
import { prepare } from "../../platform/store/prepared.ts";

type Project = { ownerId: string; projectId: string };

/** Of each of the positions `{from, to}`: the last one that is taken; null: none is. */
export const findTaken = prepare<Project & { ranges: string }>("decisions.findTaken").many(
  ({ db, p, objects, integerMember }) =>
    db.selectFrom(objects("ranges")).select([
      integerMember("from").as("from"),
      db
        .selectFrom("gate_decisions")
        .select(({ fn }) => fn.max("position").as("position"))
        .where("ownerId", "=", p("ownerId"))
        .where("projectId", "=", p("projectId"))
        .where("position", ">=", integerMember("from"))
        .where("position", "<", integerMember("to"))
        .as("position"),
    ]),
);

/** Which of the ids `{id}` are stored. */
export const findStored = prepare<{ ownerId: string; ids: string }>("decisions.findStored").many(
  ({ db, p, isElement }) =>
    db
      .selectFrom("gate_decisions")
      .select("id")
      .where("ownerId", "=", p("ownerId"))
      .where(({ ref }) => isElement(ref("id"), "ids")),
);

export const insertDecisions = prepare<Project & { rows: string }>("decisions.insert").write(
  ({ db, p, objects, member, integerMember }) =>
    db
      .insertInto("gate_decisions")
      .columns(["ownerId", "id", "projectId", "position", "outcome", "ruleId", "host", "summary", "details"])
      .expression(
        db
          .selectFrom(objects("rows"))
          .select([
            sql<string>`cast(${p("ownerId")} as text)`.as("ownerId"),
            member("id").as("id"),
            sql<string>`cast(${p("projectId")} as text)`.as("projectId"),
            integerMember("position").as("position"),
            member("outcome").as("outcome"),
            member("ruleId").as("ruleId"),
            member("host").as("host"),
            member("summary").as("summary"),
            member("details").as("details"),
          ]),
      ),
);

export const findDecision = prepare<{ ownerId: string; id: string }>("decisions.find").one(({ db, p }) =>
  db
    .selectFrom("gate_decisions")
    .select(["projectId", "summary", "details"])
    .where("ownerId", "=", p("ownerId"))
    .where("id", "=", p("id")),
);

/** Each filter may be null. */
export const listDecisions = prepare<Project & { outcome: string | null; ruleId: string | null; host: string | null }>(
  "decisions.list",
).page(({ db, p }) =>
  db
    .selectFrom("gate_decisions")
    .select(["position", "projectId", "summary"])
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where(sql<boolean>`(cast(${p("outcome")} as text) is null or outcome = ${p("outcome")})`)
    .where(sql<boolean>`(cast(${p("ruleId")} as text) is null or rule_id = ${p("ruleId")})`)
    .where(sql<boolean>`(cast(${p("host")} as text) is null or host = ${p("host")})`),
);

/** Keeps the newest of a project. */
export const deleteBeyond = prepare<Project & { kept: number }>("decisions.deleteBeyond").write(({ db, p }) =>
  db
    .deleteFrom("gate_decisions")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("position", "<=", (eb) =>
      eb
        .selectFrom("gate_decisions as kept")
        .select("kept.position")
        .where("kept.ownerId", "=", p("ownerId"))
        .where("kept.projectId", "=", p("projectId"))
        .orderBy("kept.position", "desc")
        .limit(sql.lit(1))
        .offset(p("kept")),
    ),
);

/** Keeps the newest of an owner. */
export const deleteBeyondOfOwner = prepare<{ ownerId: string; kept: number }>("decisions.deleteBeyondOfOwner").write(
  ({ db, p }) =>
    db
      .deleteFrom("gate_decisions")
      .where("ownerId", "=", p("ownerId"))
      .where("position", "<=", (eb) =>
        eb
          .selectFrom("gate_decisions as kept")
          .select("kept.position")
          .where("kept.ownerId", "=", p("ownerId"))
          .orderBy("kept.position", "desc")
          .limit(sql.lit(1))
          .offset(p("kept")),
      ),
);

/** Deletes decisions of all owners before a position, the oldest first. */
export const deleteOld = prepare<{ before: number; limit: number }>("decisions.deleteOld").run(({ db, p }) =>
  db
    .deleteFrom("gate_decisions")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("ownerId", "id"),
        "in",
        db
          .selectFrom("gate_decisions")
          .select(["ownerId", "id"])
          .where("position", "<", p("before"))
          .orderBy("position")
          .limit(p("limit"))
          .$asTuple("ownerId", "id"),
      ),
    ),
);

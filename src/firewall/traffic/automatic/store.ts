// Statements on the automatic of attack challenge mode, and on what minutes were like.
import { sql } from "kysely";
import { prepare } from "../../../platform/store/prepared.ts";
import type { Build } from "../../../platform/store/build.ts";

type Project = { ownerId: string; projectId: string };

export const findAutomatic = prepare<Project>("automatic.find").one(({ db, p }) =>
  db
    .selectFrom("attack_mode_automatic")
    .selectAll()
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

type Learned = {
  learnedAt: number;
  historySince: number | null;
  requests: number | null;
  errors: number | null;
  latency: number | null;
};

/** Inserts or updates the switch. The project has to exist. */
export const putAutomatic = prepare<Project & { isEnabled: number; now: number } & Learned>("automatic.put").write(
  ({ db, p, params }) => {
    const values = {
      ...params("isEnabled", "learnedAt", "historySince"),
      updatedAt: p("now"),
      usualRequests: p("requests"),
      usualErrors: p("errors"),
      usualLatency: p("latency"),
    };
    return db
      .insertInto("attack_mode_automatic")
      .values({ ownerId: p("ownerId"), projectId: p("projectId"), revision: 1, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(["ownerId", "projectId"])
          .doUpdateSet((eb) => ({ ...values, revision: eb("attack_mode_automatic.revision", "+", 1) })),
      );
  },
);

export const putLearned = prepare<Project & Learned>("automatic.putLearned").write(({ db, p }) =>
  db
    .updateTable("attack_mode_automatic")
    .set({
      learnedAt: p("learnedAt"),
      historySince: p("historySince"),
      usualRequests: p("requests"),
      usualErrors: p("errors"),
      usualLatency: p("latency"),
    })
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId")),
);

/** Projects of all owners that last learned before a time, the oldest first. */
export const listToLearn = prepare<{ before: number; limit: number }>("automatic.listToLearn").many(
  ({ db, p, isNotRemoved }) =>
    db
      .selectFrom("attack_mode_automatic")
      .select(["ownerId", "projectId"])
      .where("isEnabled", "=", sql.lit(1))
      .where("learnedAt", "<=", p("before"))
      .where(({ ref }) => isNotRemoved(ref("attack_mode_automatic.ownerId")))
      .orderBy("learnedAt")
      .limit(p("limit")),
);

const STATE = ["minute", "attackMode", "responses", "errors", "latencies", "latency"] as const;

/** What the minutes of a JSON array were like. */
export const findStates = prepare<Project & { minutes: string }>("automatic.findStates").many(({ db, p, integers }) =>
  db
    .selectFrom("firewall_minutes")
    .select(STATE)
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("minute", "in", integers("minutes")),
);

type Range = Project & { from: number; to: number };

/** The first minute with requests, and with responses, from `from` to before `to`. */
export const findFirsts = prepare<Range>("automatic.findFirsts").one(({ db, p }) =>
  db.selectNoFrom([
    db
      .selectFrom("firewall_traffic_minutes")
      .select(({ fn }) => fn.min("minute").as("minute"))
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("host", "=", "")
      .where("minute", ">=", p("from"))
      .where("minute", "<", p("to"))
      .as("requests"),
    db
      .selectFrom("firewall_minutes")
      .select(({ fn }) => fn.min("minute").as("minute"))
      .where("ownerId", "=", p("ownerId"))
      .where("projectId", "=", p("projectId"))
      .where("minute", ">=", p("from"))
      .where("minute", "<", p("to"))
      .where("responses", ">", sql.lit(0))
      .as("responses"),
  ]),
);

function statesIn<P extends Range>({ db, p }: Build<P>) {
  return db
    .selectFrom("firewall_minutes")
    .where("ownerId", "=", p("ownerId"))
    .where("projectId", "=", p("projectId"))
    .where("minute", ">=", p("from"))
    .where("minute", "<", p("to"));
}

export const countInMode = prepare<Range>("automatic.countInMode").one((b) =>
  statesIn(b)
    .select(({ fn }) => fn.countAll<number>().as("minutes"))
    .where("attackMode", "=", sql.lit(1)),
);

/** Minutes with a latency, outside of attack mode. */
export const countMeasured = prepare<Range>("automatic.countMeasured").one((b) =>
  statesIn(b)
    .select(({ fn }) => fn.countAll<number>().as("minutes"))
    .where("attackMode", "=", sql.lit(0))
    .where("latency", "is not", null),
);

type Highest = Range & { limit: number };

/** The minutes with the most requests, outside of attack mode. */
export const listMostRequests = prepare<Highest>("automatic.listMostRequests").many(({ db, p }) =>
  db
    .selectFrom("firewall_traffic_minutes as counted")
    .select(["counted.minute", "counted.total as requests"])
    .where("counted.ownerId", "=", p("ownerId"))
    .where("counted.projectId", "=", p("projectId"))
    .where("counted.host", "=", "")
    .where("counted.minute", ">=", p("from"))
    .where("counted.minute", "<", p("to"))
    .where(({ not, exists }) =>
      not(
        exists(
          db
            .selectFrom("firewall_minutes as state")
            .select("state.minute")
            .where("state.ownerId", "=", p("ownerId"))
            .where("state.projectId", "=", p("projectId"))
            .where("state.minute", "=", sql.ref<number>("counted.minute"))
            .where("state.attackMode", "=", sql.lit(1)),
        ),
      ),
    )
    .orderBy("counted.total", "desc")
    .limit(p("limit")),
);

export const listMostErrors = prepare<Highest>("automatic.listMostErrors").many((b) =>
  statesIn(b)
    .select(["minute", "errors", "responses"])
    .where("attackMode", "=", sql.lit(0))
    .where("errors", ">", sql.lit(0))
    .orderBy("errors", "desc")
    .limit(b.p("limit")),
);

/** The minutes with the highest latency. */
export const listSlowest = prepare<Highest>("automatic.listSlowest").many((b) =>
  statesIn(b)
    .select(["minute", "latency"])
    .where("attackMode", "=", sql.lit(0))
    .where("latency", "is not", null)
    .orderBy("latency", "desc")
    .limit(b.p("limit")),
);

export const putState = prepare<
  Project & {
    minute: number;
    attackMode: number;
    responses: number;
    errors: number;
    latencies: string | null;
    latency: number | null;
  }
>("automatic.putState").write(({ db, params }) => {
  const values = params("attackMode", "responses", "errors", "latencies", "latency");
  return db
    .insertInto("firewall_minutes")
    .values({ ...params("ownerId", "projectId", "minute"), ...values })
    .onConflict((conflict) => conflict.columns(["ownerId", "projectId", "minute"]).doUpdateSet(values));
});

export const deleteStates = prepare<{ before: number; limit: number }>("automatic.deleteStates").run(({ db, p }) =>
  db
    .deleteFrom("firewall_minutes")
    .where(({ eb, refTuple }) =>
      eb(
        refTuple("ownerId", "projectId", "minute"),
        "in",
        db
          .selectFrom("firewall_minutes")
          .select(["ownerId", "projectId", "minute"])
          .where("minute", "<", p("before"))
          .orderBy("minute")
          .limit(p("limit"))
          .$asTuple("ownerId", "projectId", "minute"),
      ),
    ),
);

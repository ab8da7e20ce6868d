import type { Dialect, Migration } from "./migration.ts";

/** Samples of what gates decided about requests, to be found by the id that the client got. */
export const gateDecisions: Migration = {
  version: 23,
  name: "gate-decisions",
  statements: ({ text, big }: Dialect) => [
    // id: made by the gate. position: the time of the decision, and its order among those of the same millisecond. outcome: the
    // action; `log` if the request was let through although a rule matched. rule_id: that decided, or the first one that logged;
    // empty: none. summary: JSON of what lists show. details: JSON of the rest, headers and the steps of the evaluation.
    `create table gate_decisions (
      owner_id ${text} not null,
      id ${text} not null,
      project_id ${text} not null,
      position ${big} not null,
      outcome ${text} not null,
      rule_id ${text} not null,
      host ${text} not null,
      summary ${text} not null,
      details ${text} not null,
      primary key (owner_id, id),
      foreign key (owner_id, project_id) references projects (owner_id, id) on delete cascade
    )`,
    `create unique index gate_decisions_list on gate_decisions (owner_id, project_id, position)`,
    `create index gate_decisions_age on gate_decisions (position)`,
  ],
};

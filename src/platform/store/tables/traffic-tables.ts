// The tables of request outcomes and sampled decisions, as reported by the enforcers of configurations.

export interface TrafficTables {
  firewall_traffic_hours: TrafficHoursTable;
  firewall_traffic_minutes: TrafficMinutesTable;
  firewall_traffic: TrafficTable;
  firewall_traffic_rules: TrafficRulesTable;
  gate_decisions: GateDecisionsTable;
  firewall_minutes: ProjectMinutesTable;
}

/** Requests of a host in an hour: the usual traffic there. */
interface TrafficHoursTable {
  owner_id: string;
  project_id: string;
  host: string;
  /** The beginning. */
  hour: number;
  total: number;
  /** The sum of the squares of its minutes' totals. */
  squares: number;
  /** The total of its busiest minute. */
  peak: number;
}

/** Requests of a host in a minute. The row of the empty host is that of the whole project. */
interface TrafficMinutesTable {
  owner_id: string;
  project_id: string;
  host: string;
  /** The beginning. */
  minute: number;
  total: number;
  denied: number;
  challenged: number;
  /** Rows that the minute has so far: of a host those with an address, of the whole project all. */
  entries: number;
}

/** What a minute of a project was like, beside its requests. There is no row when all of it is 0. */
interface ProjectMinutesTable {
  owner_id: string;
  project_id: string;
  /** The beginning. */
  minute: number;
  /** Whether attack challenge mode was on: what was counted then is not usual. */
  attack_mode: number;
  /** Of the application. */
  responses: number;
  /** Those with status 500 or more. */
  errors: number;
  /** JSON array of counts by latency (platform/kernel/telemetry/latencies.ts); null: none was measured. */
  latencies: string | null;
  /** ms within which 19 of 20 responses began; null: too few were measured. */
  latency: number | null;
}

/** Requests with an outcome, in a minute. */
interface TrafficTable {
  owner_id: string;
  project_id: string;
  /** `*`: of all hosts beyond those that have rows of their own. */
  host: string;
  minute: number;
  /** Empty: unknown, or of all addresses beyond those that have rows of their own. */
  ip: string;
  action: string;
  /** Empty: no rule. */
  rule_id: string;
  count: number;
}

/** Requests of a project in an hour, by outcome and rule. */
interface TrafficRulesTable {
  owner_id: string;
  project_id: string;
  /** The beginning. */
  hour: number;
  action: string;
  /** Empty: no rule, or of all rules beyond those that have rows of their own. */
  rule_id: string;
  count: number;
}

/** Samples of decisions. */
interface GateDecisionsTable {
  owner_id: string;
  /** Made by the gate. */
  id: string;
  project_id: string;
  /** The time of the decision, and its order among those of the same millisecond. */
  position: number;
  /** The action; `log` for a request that was let through although a rule matched. */
  outcome: string;
  /** The rule that decided, or the first one that logged; empty: none. */
  rule_id: string;
  host: string;
  /** JSON of what lists show. */
  summary: string;
  /** JSON of the rest: headers, and the steps of the evaluation. */
  details: string;
}

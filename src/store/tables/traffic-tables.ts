// The tables of what came of requests, as those who enforce configurations reported it.

export interface TrafficTables {
  firewall_traffic_hours: TrafficHoursTable;
  firewall_traffic_minutes: TrafficMinutesTable;
  firewall_traffic: TrafficTable;
  firewall_traffic_rules: TrafficRulesTable;
}

/** Requests of a host in an hour: what is usual there. */
interface TrafficHoursTable {
  owner_id: string;
  project_id: string;
  host: string;
  /** When it began. */
  hour: number;
  total: number;
  /** The sum of the squares of its minutes' totals. */
  squares: number;
  /** The total of its busiest minute. */
  peak: number;
}

/** Requests of a host in a minute. The row of the empty host stands for the whole project. */
interface TrafficMinutesTable {
  owner_id: string;
  project_id: string;
  host: string;
  /** When it began. */
  minute: number;
  total: number;
  denied: number;
  challenged: number;
  /** Rows that the minute has so far: of a host those with an address, of the whole project all. */
  entries: number;
}

/** Requests that something came of, in a minute. */
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

/** Requests of a project in an hour, by what came of them and by which rule. */
interface TrafficRulesTable {
  owner_id: string;
  project_id: string;
  /** When it began. */
  hour: number;
  action: string;
  /** Empty: no rule, or of all rules beyond those that have rows of their own. */
  rule_id: string;
  count: number;
}

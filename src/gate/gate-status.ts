// What a gate tells of itself: applications with a gate within them, and readers of the health page. These are types of `@reeve-hq/reeve/gate`.

/** The control plane has refused, and there is no earlier bundle: the start of the gate stops. The message names what to repair. */
export class GateMistakeError extends Error {
  override readonly name = "GateMistakeError";
}

export interface GateReadiness {
  /** Whether the gate decides by a bundle. */
  readonly protected: boolean;
  /** Why not, or why the bundle is an earlier one; null: the control plane has confirmed it. */
  readonly reason: string | null;
}

export type ProjectState = "current" | "stale" | "missing";

export interface Refused {
  readonly requests: number;
  /** ms since the epoch */
  readonly lastAt: number;
}

export interface Stranger extends Refused {
  readonly address: string;
}

export interface UnknownHost extends Refused {
  readonly host: string;
}

/** All times are ms since the epoch. */
export interface ActivityReport {
  /** The gate's clock. */
  readonly now: number;
  readonly startedAt: number;
  /** Decided requests since then. */
  readonly requests: number;
  /** Null: none yet. */
  readonly lastRequestAt: number | null;
  /** Peers that asked for decisions and may not. */
  readonly untrustedPeers: readonly Stranger[];
  /** Hosts of requests that the gate has no project for. */
  readonly unknownHosts: readonly UnknownHost[];
}

export interface ProjectHealth {
  /** `team/project` as configured. */
  readonly project: string;
  readonly state: ProjectState;
  /** Of the configuration in force; null: none is active. */
  readonly version: number | null;
  /** ms since the control plane confirmed the bundle; null: never. */
  readonly ageMs: number | null;
  /** Why the bundle is not confirmed; absent: it is. */
  readonly problem?: string;
  /** `mistake`: the control plane has refused, and an operator has to repair what the problem names. `outage`: it does not answer. */
  readonly problemKind?: "mistake" | "outage";
}

export interface GateHealth extends ActivityReport {
  /** `no_bundle`: a project has none. `shutting_down`: the process was told to stop. */
  readonly status: "ok" | "no_bundle" | "shutting_down";
  readonly projects: readonly ProjectHealth[];
  /** What happens to requests of a project without a bundle while the control plane is away. */
  readonly whenNoBundle: "open" | "closed";
  /** Absent: the gate counts by itself. */
  readonly counterStore?: { readonly state: "up" | "away"; readonly problem?: string | null };
}

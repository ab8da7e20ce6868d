// What a start and a new link report to the command line.
import type { ShowProgress } from "./progress.ts";

/** The outcome of a start; also when the server could not listen after its first start. */
export interface ServerStart {
  /** Null when it does not listen. */
  readonly url: string | null;
  readonly docsUrl: string | null;
  /** The port that the system chose, which no other command finds; null: that of the settings. */
  readonly chosenPort: number | null;
  /** Where the gate of `--gate` listens; null: there is none. */
  readonly gateUrl: string | null;
  /** A folder, or a database URL without its password. */
  readonly data: string;
  /** Whether this start created the administrator. */
  readonly isFirstStart: boolean;
  /** The administrator's access token, if this start created it; null for one that the operator gave. */
  readonly adminToken: string | null;
  /** The link by which the administrator sets the account up in a browser; null: it has been. */
  readonly setUpUrl: string | null;
  /** The account that the link is for. */
  readonly setUpUser: string | null;
  /** Whether REEVE_BOOTSTRAP_TOKEN was given for accounts that were there, and is no token of theirs. */
  readonly isTokenUnused: boolean;
  /** The file of the master key that this start created. */
  readonly newKeyFile: string | null;
}

export interface WorkerStart {
  /** The address of health and metrics; null when there is none. */
  readonly url: string | null;
  readonly data: string;
  readonly engine: "sqlite" | "postgres";
}

/** The outcome of a gate's start. */
export interface GateStart {
  readonly url: string;
  /** URL of the control plane. */
  readonly server: string;
  /** The application; null: the gate only answers checks. */
  readonly upstream: string | null;
  readonly projects: readonly {
    readonly project: string;
    /** Null: no configuration is active. */
    readonly version: number | null;
    readonly hasBundle: boolean;
    /** Why the control plane did not confirm the bundle; null: it did. */
    readonly problem: string | null;
    /** `mistake`: the control plane has refused, and an operator has to repair what the problem names. */
    readonly problemKind: "mistake" | "outage" | null;
  }[];
}

/** The databases that `reeve gate geo update` has downloaded. */
export interface GeoUpdated {
  readonly dir: string;
  readonly databases: readonly {
    readonly file: string;
    readonly type: string;
    /** ms */
    readonly builtAt: number;
    readonly bytes: number;
  }[];
  readonly attribution: string;
}

/** What `reeve gate seclang` is asked for. */
export interface SeclangRequest {
  readonly out: string;
  readonly watch: boolean;
  readonly loaded: string | null;
  readonly rules: string;
  readonly paranoia: number | null;
  readonly engine: string;
  readonly auditLog: string | null;
}

export interface SeclangStart {
  readonly projects: readonly (GateStart["projects"][number] & {
    readonly file: string;
    /** `kept`: there is no bundle, so the file stays as it was. */
    readonly outcome: "written" | "unchanged" | "kept";
    /** What of the configuration could not be written. */
    readonly notes: readonly string[];
  })[];
}

/** A link that signs in to an account once. */
export interface SignInLink {
  readonly username: string;
  readonly url: string;
  /** ms */
  readonly expiresAt: number;
}

/** What `reeve migrate` hears while it works. */
export interface MigrationNotices {
  /** The progress of copying the embedded store. */
  readonly onProgress: ShowProgress;
  /** Who holds a lock that the migration waits for. */
  readonly onWait: (holders: string) => void;
  /** A migration begins, or after some seconds of one its next part; `to` is the version to which all lead. */
  readonly onMigration: (step: {
    readonly version: number;
    readonly name: string;
    readonly to: number;
    readonly part: number;
    readonly parts: number;
  }) => void;
  /** All were applied, and are committed. */
  readonly onCommit: () => void;
}

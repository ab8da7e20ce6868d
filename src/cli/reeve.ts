// What the commands ask of Reeve. main.ts provides it, so that no command knows how a store is opened or a verb is run.
import type { FirewallTrial, FirewallVerdict } from "./firewall-trial.ts";
import type { ShowProgress } from "./progress.ts";

/** A setting as the command line shows it. */
export interface SettingOption {
  /** Key of the value in `Flags`; the flag's name in camel case. */
  readonly name: string;
  readonly flag: string;
  readonly env: string;
  readonly help: string;
  readonly fallback: string | null;
}

/** Settings given as flags, by name. */
export type Flags = Readonly<Record<string, string>>;

/** What there is to know when a server has started, or could not listen after its first start. */
export interface ServerStart {
  /** Null when it does not listen. */
  readonly url: string | null;
  readonly docsUrl: string | null;
  /** Where the data lies: a folder, or a database URL without its password. */
  readonly data: string;
  /** The administrator's token, on the first start only. */
  readonly adminToken: string | null;
  /** Where the master key lies that was made at this start. */
  readonly newKeyFile: string | null;
}

export interface WorkerStart {
  readonly data: string;
  readonly engine: "sqlite" | "postgres";
}

export interface Migration {
  readonly from: number;
  readonly to: number;
  /** Where the copy of the SQLite file lies, when one was made. */
  readonly copy: string | null;
  readonly data: string;
}

/** One call of an endpoint without HTTP. */
export interface OperationCall {
  readonly operation: string;
  /** Username, e-mail address or id of the user to act for; null acts as Reeve itself. */
  readonly user: string | null;
  /** Id or slug of the team that the call is about. */
  readonly team?: string | undefined;
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** What verifying the event chains found. */
export interface ChainReport {
  readonly owners: number;
  readonly events: number;
  /** Null: every chain is whole. */
  readonly firstFault: {
    readonly ownerId: string;
    readonly sequence: number;
    /** Null when the event is gone. */
    readonly eventId: string | null;
    readonly kind: string;
    readonly reason: string;
  } | null;
}

/** One thing that `doctor` looked at. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Whose secrets a command moves: a team, by id or slug, or a user, by username, e-mail address or id. */
export type SecretsOwner = { readonly team: string } | { readonly user: string };

export interface SecretsExport {
  readonly owner: SecretsOwner;
  readonly file: string;
  /** Replaces a file that exists. */
  readonly force: boolean;
  /** Who can open the file: whoever knows the passphrase, or has the identity of a recipient. */
  readonly lock: { readonly passphrase: string } | { readonly recipients: readonly string[] };
}

export interface SecretsImport {
  readonly owner: SecretsOwner;
  readonly file: string;
  readonly key: { readonly passphrase: string } | { readonly identities: readonly string[] };
  /** What to do with a secret one of whose names is taken: refuse the whole file, or leave that secret out. */
  readonly onConflict: "fail" | "skip";
}

export interface SecretsImported {
  readonly imported: number;
  /** Names of the secrets that were left out. */
  readonly skipped: readonly string[];
}

/** A master key and the stored values that it wraps. */
export interface KeyUse {
  readonly id: string;
  readonly values: number;
}

/** What a rotation of the master keys came to. */
export interface Rotation {
  readonly activeKeyId: string;
  /** The key that was active until now; null when this one was. */
  readonly previousKeyId: string | null;
  readonly rewrapped: number;
  /** Values that do not open, so that they stay under their key. */
  readonly failed: readonly {
    readonly kind: string;
    readonly id: string;
    readonly version: number;
    readonly keyId: string;
  }[];
  /** Every key that the store needs now. */
  readonly keys: readonly KeyUse[];
}

export interface KeyStatus extends KeyUse {
  readonly active: boolean;
  /** Settings and files that hold the key; none when this keyring lacks it. */
  readonly sources: readonly string[];
}

export interface KeyRetirement {
  readonly id: string;
  /** The file that it was taken out of. */
  readonly removedFrom: string | null;
  /** Settings and files of the operator that still hold it. */
  readonly remainsIn: readonly string[];
}

export interface Reeve {
  readonly version: string;
  readonly settings: readonly SettingOption[];
  /** Serves until it is told to stop; resolves to the exit code. */
  serve(flags: Flags, announce: (start: ServerStart) => void): Promise<number>;
  /** Works until it is told to stop; resolves to the exit code. */
  work(flags: Flags, announce: (start: WorkerStart) => void): Promise<number>;
  migrate(flags: Flags): Promise<Migration>;
  /** Calls an endpoint directly on the store and resolves to its response body. */
  call(flags: Flags, call: OperationCall): Promise<unknown>;
  verifyEvents(flags: Flags): Promise<ChainReport>;
  examine(flags: Flags): Promise<readonly Finding[]>;
  /** Writes the secrets of an owner into an encrypted file; answers how many. */
  exportSecrets(flags: Flags, request: SecretsExport, onProgress: ShowProgress): Promise<{ readonly exported: number }>;
  importSecrets(flags: Flags, request: SecretsImport, onProgress: ShowProgress): Promise<SecretsImported>;
  /** Changes to another master key, or to the one named; `onProgress` hears how many values are done. */
  rotateKeys(flags: Flags, to: string | null, onProgress: ShowProgress): Promise<Rotation>;
  listKeys(flags: Flags): Promise<readonly KeyStatus[]>;
  retireKey(flags: Flags, id: string): Promise<KeyRetirement>;
  /** Tries requests on a configuration, without any store; throws a `FaultyInputError`. */
  tryFirewall(flags: Flags, trial: FirewallTrial): Promise<readonly FirewallVerdict[]>;
}

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

/** What event chains are held against. */
export interface Verification {
  /** The public keys to trust, as texts or files; none: those that are named where the checkpoints lie. */
  readonly publicKeys: readonly string[];
  /** A file of checkpoints that were kept elsewhere. */
  readonly checkpoints: string | null;
}

/** A key whose checkpoints are believed. */
export interface TrustedKey {
  readonly id: string;
  readonly publicKey: string;
  /**
   * Why: it was given; it is `proven` by its private half, which the master key opens; or it is only `claimed` to be the
   * right one where the checkpoints lie.
   */
  readonly trust: "given" | "proven" | "claimed";
}

interface ChainFault {
  readonly ownerId: string;
  readonly sequence: number;
  /** Null when the event is gone. */
  readonly eventId: string | null;
  readonly kind: string;
  readonly reason: string;
}

/** What verifying the event chains found. */
export interface ChainReport {
  readonly owners: number;
  readonly events: number;
  /** How many checkpoints of the store were compared. */
  readonly checkpoints: number;
  /** How many of those that were kept elsewhere. */
  readonly kept: number;
  readonly keys: readonly TrustedKey[];
  /** Null: every chain is whole. */
  readonly firstFault: ChainFault | null;
}

/** What verifying the chain of a file found. */
export interface ExportReport {
  readonly ownerId: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /** What shows that the first line is as it was written; null: nothing. */
  readonly beginning: "first event" | "checkpoint" | null;
  /** The event up to which a checkpoint proves the lines; null: there is none. */
  readonly provenTo: number | null;
  /** The event of the newest checkpoint, where that stands behind the last line. */
  readonly newestBehind: number | null;
  readonly keys: readonly TrustedKey[];
  readonly firstFault: ChainFault | null;
}

/** One thing that `doctor` looked at. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** Whose secrets or events a command is about: a team, by id or slug, or a user, by username, e-mail address or id. */
export type OwnerReference = { readonly team: string } | { readonly user: string };

export interface CheckpointRequest {
  /** Whose chain; null: all. */
  readonly owner: OwnerReference | null;
  /** A file for the newest checkpoint of each chain, one to a line. */
  readonly file: string | null;
  /** Replaces a file that exists. */
  readonly force: boolean;
  /** Signs with a new key from now on. */
  readonly newKey: boolean;
}

export interface CheckpointsMade {
  /** How many chains had no checkpoint of their newest event by the key that signs. */
  readonly made: number;
  readonly key: { readonly id: string; readonly publicKey: string };
  /** How many checkpoints were written to the file. */
  readonly written: number;
}

export interface SecretsExport {
  readonly owner: OwnerReference;
  readonly file: string;
  /** Replaces a file that exists. */
  readonly force: boolean;
  /** Who can open the file: whoever knows the passphrase, or has the identity of a recipient. */
  readonly lock: { readonly passphrase: string } | { readonly recipients: readonly string[] };
}

export interface SecretsImport {
  readonly owner: OwnerReference;
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
  verifyEvents(flags: Flags, request: Verification, onProgress: ShowProgress): Promise<ChainReport>;
  /** The same of an exported file, without a store. */
  verifyExport(file: string, request: Verification, onProgress: ShowProgress): Promise<ExportReport>;
  /** Makes the checkpoints of the newest events of chains. */
  checkpointEvents(flags: Flags, request: CheckpointRequest, onProgress: ShowProgress): Promise<CheckpointsMade>;
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

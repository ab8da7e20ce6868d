// The interface between the command line and the rest. main.ts implements it, so that no command opens a store itself.
import type { BackupKind, RestoreRequest, Restored } from "./restored.ts";
import type { ApproveRetirement, KeyRetirement } from "./key-retirement.ts";
import type { FirewallTrial, FirewallResult } from "./commands/firewall-trial.ts";
import type { ShowProgress } from "./progress.ts";
import type { Remote } from "./remote.ts";
import type { GivenSetting } from "./runnable.ts";
import type { GateStart, GeoUpdated, MigrationNotices, SeclangRequest, SeclangStart } from "./starts.ts";
import type { ServerStart, SignInLink, WorkerStart } from "./starts.ts";

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

export interface Migration {
  readonly from: number;
  readonly to: number;
  /** The copy of the SQLite file, when one was made. */
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

/** The keys and checkpoints to verify event chains with. */
export interface Verification {
  /** The public keys to trust, as texts or files; when empty, the keys named beside the checkpoints. */
  readonly publicKeys: readonly string[];
  /** A file of checkpoints that were stored elsewhere. */
  readonly checkpoints: string | null;
}

/** A key whose checkpoints are trusted. */
export interface TrustedKey {
  readonly id: string;
  readonly publicKey: string;
  /**
   * Why it is trusted: it was `given`; it is `proven` by its private half, which the master key opens; or it is only
   * `claimed` beside the checkpoints.
   */
  readonly trust: "given" | "proven" | "claimed";
}

export interface ChainBreak {
  readonly ownerId: string;
  readonly sequence: number;
  /** Null when the event is gone. */
  readonly eventId: string | null;
  readonly kind: string;
  readonly reason: string;
}

/** The result of verifying the event chains. */
export interface ChainReport {
  readonly owners: number;
  readonly events: number;
  /** How many checkpoints of the store were compared. */
  readonly checkpoints: number;
  /** How many of the given file were compared. */
  readonly kept: number;
  readonly keys: readonly TrustedKey[];
  /** Null when every chain is whole. */
  readonly firstFault: ChainBreak | null;
}

/** The result of verifying the chain of a file. */
export interface ExportReport {
  readonly ownerId: string;
  readonly first: number;
  readonly last: number;
  readonly events: number;
  /** What proves the content of the first line; null: nothing. */
  readonly beginning: "first event" | "checkpoint" | null;
  /** The last event that a checkpoint proves; null when there is none. */
  readonly provenTo: number | null;
  /** The event of the newest checkpoint, if it comes after the last line. */
  readonly newestBehind: number | null;
  readonly keys: readonly TrustedKey[];
  readonly firstFault: ChainBreak | null;
}

/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

/** The owner of the secrets or events of a command: a team, by id or slug, or a user, by username, e-mail address or id. */
export type OwnerReference = { readonly team: string } | { readonly user: string };

export interface CheckpointRequest {
  /** The owner of the chain; null: all chains. */
  readonly owner: OwnerReference | null;
  /** A file for the newest checkpoint of each chain, one to a line. */
  readonly file: string | null;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** Signs with a new key from now on. */
  readonly newKey: boolean;
}

export interface CheckpointsMade {
  /** How many chains had no checkpoint of their newest event by the signing key. */
  readonly made: number;
  readonly key: { readonly id: string; readonly publicKey: string };
  /** How many checkpoints were written to the file. */
  readonly written: number;
}

export interface SecretsExport {
  readonly owner: OwnerReference;
  readonly file: string;
  /** Replaces an existing file. */
  readonly force: boolean;
  /** The key of the file: a passphrase, or the identity of a recipient. */
  readonly lock: { readonly passphrase: string } | { readonly recipients: readonly string[] };
}

export interface SecretsImport {
  readonly owner: OwnerReference;
  readonly file: string;
  readonly key: { readonly passphrase: string } | { readonly identities: readonly string[] };
  /** What to do when a name of a secret is taken: refuse the whole file, or leave that secret out. */
  readonly onConflict: "fail" | "skip";
}

export interface SecretsImported {
  readonly imported: number;
  /** Names of the secrets that were left out. */
  readonly skipped: readonly string[];
}

export interface BackupRequest {
  /** Compressed if its name ends in .gz or .zst; null: a file in the current folder, named by the time. */
  readonly file: string | null;
  /** Replaces an existing file. */
  readonly force: boolean;
}

export interface BackupMade {
  readonly file: string;
  readonly kind: BackupKind;
  readonly schemaVersion: number;
  readonly rows: number;
  readonly bytes: number;
  /** Of the file. */
  readonly sha256: string;
  /** Of an archive: a hash of its content, independent of the engine and of the time. */
  readonly content: string | null;
  /** Ids of the master keys that its sealed values need. */
  readonly masterKeys: readonly string[];
}

/** The result of verifying a backup. */
export interface BackupReport {
  readonly file: string;
  readonly kind: BackupKind | null;
  readonly schemaVersion: number | null;
  readonly rows: number | null;
  /** The damage of the file itself; null: none. The fields below are null if it cannot be read. */
  readonly damage: string | null;
  readonly chains: ChainReport | null;
  /** Sealed values by whether the master keys of this machine open them. */
  readonly sealed: { readonly opened: number; readonly unreadable: number; readonly withoutKey: number } | null;
  readonly missingKeys: readonly string[];
}

/** A master key and the stored values that it wraps. */
export interface KeyUse {
  readonly id: string;
  readonly values: number;
}

/** The result of a rotation of the master keys. */
export interface Rotation {
  readonly activeKeyId: string;
  /** The key that was active before; null if the same one was. */
  readonly previousKeyId: string | null;
  readonly rewrapped: number;
  /** Values that do not open; they stay under their key. */
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

export interface Reeve {
  readonly version: string;
  readonly ownCommand: string;
  /** What the environment gives that a shell elsewhere lacks. */
  readonly given: readonly GivenSetting[];
  /** A server elsewhere. */
  readonly remote: Remote;
  readonly settings: readonly SettingOption[];
  readonly gateSettings: readonly SettingOption[];
  /** Serves until it receives a stop signal; resolves to the exit code. */
  serve(flags: Flags, announce: (start: ServerStart) => void, options: { readonly withGate: boolean }): Promise<number>;
  /** Works until it receives a stop signal; resolves to the exit code. */
  work(flags: Flags, announce: (start: WorkerStart) => void): Promise<number>;
  /** Enforces firewalls until it receives a stop signal; resolves to the exit code. */
  protect(flags: Flags, announce: (start: GateStart) => void): Promise<number>;
  /** Downloads databases of countries and networks, from a mirror if there is one. */
  updateGeo(flags: Flags, mirror: string | null): Promise<GeoUpdated>;
  /** Writes the files of an engine, and with `watch` keeps them current until it receives a stop signal. */
  renderSeclang(
    flags: Flags,
    request: SeclangRequest,
    announce: (start: SeclangStart) => void,
  ): Promise<SeclangStart & { readonly code: number }>;
  migrate(flags: Flags, notices: MigrationNotices): Promise<Migration>;
  /** Calls an endpoint directly on the store and resolves to its response body. */
  call(flags: Flags, call: OperationCall): Promise<unknown>;
  /** A link that signs in once to the account with this username, e-mail address or id. */
  makeSignInLink(flags: Flags, name: string): Promise<SignInLink>;
  verifyEvents(flags: Flags, request: Verification, onProgress: ShowProgress): Promise<ChainReport>;
  /** Verifies an exported file, without a store. */
  verifyExport(file: string, request: Verification, onProgress: ShowProgress): Promise<ExportReport>;
  /** Makes the checkpoints of the newest events of chains. */
  checkpointEvents(flags: Flags, request: CheckpointRequest, onProgress: ShowProgress): Promise<CheckpointsMade>;
  examine(flags: Flags): Promise<readonly Finding[]>;
  /** Of the gate at a URL; null: at REEVE_GATE_LISTEN of this machine. */
  examineGate(url: string | null): Promise<readonly Finding[]>;
  /** Writes the secrets of an owner into an encrypted file; returns how many. */
  exportSecrets(flags: Flags, request: SecretsExport, onProgress: ShowProgress): Promise<{ readonly exported: number }>;
  importSecrets(flags: Flags, request: SecretsImport, onProgress: ShowProgress): Promise<SecretsImported>;
  /** Writes everything into a file: a copy of the embedded store, or an archive of PostgreSQL. */
  backUp(flags: Flags, request: BackupRequest, onProgress: ShowProgress): Promise<BackupMade>;
  /** Writes an archive, from either engine. */
  exportStore(flags: Flags, request: BackupRequest, onProgress: ShowProgress): Promise<BackupMade>;
  restore(flags: Flags, request: RestoreRequest, onProgress: ShowProgress): Promise<Restored>;
  /** Verifies a backup, and changes nothing. */
  verifyBackup(flags: Flags, file: string, onProgress: ShowProgress): Promise<BackupReport>;
  /** Changes to another master key, or to the one named; `onProgress` receives the number of rewrapped values. */
  rotateKeys(flags: Flags, to: string | null, onProgress: ShowProgress): Promise<Rotation>;
  listKeys(flags: Flags): Promise<readonly KeyStatus[]>;
  retireKey(flags: Flags, id: string, approve: ApproveRetirement): Promise<KeyRetirement>;
  /** Evaluates requests against a configuration, without a store; throws an `InvalidInputError`. */
  testFirewall(flags: Flags, trial: FirewallTrial): Promise<readonly FirewallResult[]>;
}

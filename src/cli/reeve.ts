// The interface between the command line and the rest. main.ts implements it, so that no command opens a store itself.
import type { RestoreRequest, Restored } from "../backup/restore.ts";
import type { ApproveRetirement, KeyRetirement, KeyStatus } from "../commands/key-status.ts";
import type { FirewallTrial, FirewallResult } from "../outcomes/firewall-trial.ts";
import type { ShowProgress } from "../outcomes/progress.ts";
import type { Remote } from "./remote.ts";
import type { GivenSetting } from "./runnable.ts";
import type { GateStart } from "../commands/gate.ts";
import type { GeoUpdated } from "../commands/geo-update.ts";
import type { SeclangRequest, SeclangStart } from "../commands/gate-seclang.ts";
import type { ServerStart, WorkerStart } from "../server/serve.ts";
import type { SignInLink } from "../commands/sign-in-link.ts";
import type { SecretsExport, SecretsImport, SecretsImported } from "../backup/secret-archive.ts";
import type { CheckpointRequest, CheckpointsMade } from "../commands/checkpoint-events.ts";
import type { Migration, migrateStore } from "../server/prepare-store.ts";
import type { ExportReport } from "../commands/verify-export.ts";
import type { Finding } from "../outcomes/finding.ts";
import type { ChainReport, Verification } from "../outcomes/chain-report.ts";
import type { BackupReport } from "../backup/verify-backup.ts";
import type { BackupMade, BackupRequest } from "../backup/backup.ts";
import type { Rotation } from "../commands/key-rotation.ts";
import type { OperationCall } from "../commands/run-operation.ts";

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
  migrate(flags: Flags, notices: Parameters<typeof migrateStore>[1]): Promise<Migration>;
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

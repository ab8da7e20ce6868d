// The store as a running process uses it: for requests, for internal commands, and for telling how it is.
import type { OperationRunner } from "../operations/operation-runner.ts";
import type { Commands } from "../internal-commands.ts";
import type { CommandRunner } from "../kernel/internal-commands.ts";
import type { Keyring } from "../kernel/keyring.ts";
import type { Engine, Tx } from "../kernel/tx.ts";
import type { Connections } from "../store/database.ts";
import type { StoreStatus } from "../store/probe.ts";
import type { FailureState } from "../observability/failure-state.ts";

export interface StoreRunner extends OperationRunner {
  readonly engine: Engine;
  /** For reads that no request asks for. */
  readonly reader: Tx;
  readonly keyring: Keyring;
  /** The internal commands: a call runs one in a transaction of its own. */
  readonly commands: CommandRunner<Commands>;
  /** Hears of everything that this process commits: the name of an internal command, or null for a request. */
  onCommit(hear: (command: keyof Commands | null) => void): void;
  /** How the store is; rejects when it does not answer. */
  probe(): Promise<StoreStatus>;
  /** Writes something that means nothing; rejects when nothing can be written. */
  probeWriting(now: number): Promise<void>;
  /** What went wrong with changes; whoever finds that it is over clears it. */
  readonly noted: FailureState;
  /** Hears with the error when there begins to be no space to write to, and with null when there is some again. */
  onFull(hear: (error: Error | null) => void): void;
  /** Hears each time that somebody gets no connection because the server has room for no more. */
  onTooFewConnections(hear: (error: Error) => void): void;
  /** How long what waits for longest has been waiting to be written. */
  waitingMs(): number;
  /** Changes that wait to be on disk, of the embedded store. */
  pendingWrites(): number;
  connections(): Connections | null;
  close(): Promise<void>;
}

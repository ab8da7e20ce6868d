// The interface between the command line and a server elsewhere, which it reaches over HTTP. main.ts implements it.
import type { Place, PlaceName } from "../commands/remote/place-names.ts";
import type { RemoteClient } from "../commands/remote/open-client.ts";
import type { ContextList } from "../commands/remote/context-commands.ts";
import type { ProgramRun } from "../commands/run/run-program.ts";
import type { ContextEntry } from "../commands/remote/contexts.ts";
import type { RemoteIdentity } from "../commands/remote/identity.ts";
import type { DeviceSignIn } from "../commands/remote/sign-in.ts";
import type { SignedOut } from "../commands/remote/sign-out.ts";
import type { DecisionQuestion, FoundDecision } from "../commands/remote/gate-decision.ts";
import type { RemoteFlags } from "../commands/remote/connection.ts";

export interface Remote {
  /** What commands of this folder are about where no flag says it; without the file of `reeve link`, by variables alone. */
  findPlace(readsLink: boolean): Promise<Place>;
  /** Stores it for this folder; returns the file. */
  link(names: Readonly<Partial<Record<PlaceName, string>>>): Promise<string>;
  /** A client for the calls of a command; `team` is the id or slug of the team that they are about. */
  open(flags: RemoteFlags, team?: string): Promise<RemoteClient>;
  /** Waits until a person has approved or refused; `announce` is told first what to open. */
  signIn(flags: RemoteFlags, announce: (device: DeviceSignIn) => void): Promise<ContextEntry>;
  /** Revokes the token and forgets the context; with `isForgotten` also when the server can't be reached. */
  signOut(flags: RemoteFlags, isForgotten: boolean): Promise<SignedOut>;
  identify(flags: RemoteFlags): Promise<RemoteIdentity>;
  listContexts(): Promise<ContextList>;
  /** Throws a Failure when there is none. */
  findDecision(flags: RemoteFlags, question: DecisionQuestion): Promise<FoundDecision>;
  /** Runs a program with the values of an environment; resolves to its exit code. `note` receives remarks. */
  runProgram(flags: RemoteFlags, run: ProgramRun, note: (text: string) => void): Promise<number>;
  /** Writes a file that only its owner may read; replaces one only where `mayReplace` accepts its text. */
  writePrivateFile(file: string, text: string, mayReplace: (present: string) => boolean): Promise<void>;
  /** Makes a context the one that commands use from now on. */
  useContext(name: string): Promise<ContextEntry>;
}

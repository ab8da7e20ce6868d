// The interface between the command line and a server elsewhere, which it reaches over HTTP. main.ts implements it.
import type { Client } from "../client/client.ts";
import type { Place, PlaceName } from "./place-options.ts";
import type { Peer } from "./remote-failure.ts";
import type { FirewallCause, FirewallStep } from "./commands/firewall-trial.ts";

/** Which server a command works on, and as whom. */
export interface RemoteFlags {
  /** URL of the server. */
  readonly server?: string | undefined;
  /** Name of the context. */
  readonly context?: string | undefined;
}

/** What a person has to approve in a browser. */
export interface DeviceSignIn {
  /** The page, with the code filled in. */
  readonly url: string;
  /** What the page has to show. */
  readonly userCode: string;
  /** How long there is to approve it, ms. */
  readonly expiresInMs: number;
  /** A remark about the connection; null: none. */
  readonly warning: string | null;
}

/** A server and somebody's token for it, under a name. */
export interface ContextEntry {
  readonly name: string;
  readonly server: string;
  readonly username: string;
  /** End of the token, ms; null: never. */
  readonly expiresAt: number | null;
  readonly isCurrent: boolean;
}

export interface ContextList {
  readonly contexts: readonly ContextEntry[];
  /** Where they are stored. */
  readonly file: string;
}

export interface SignedOut {
  readonly context: string;
  readonly server: string;
  /** False: the server could not be reached, and its token stays valid. */
  readonly isRevoked: boolean;
}

/** What limits a credential, as the API names it; null: nothing does. */
export interface CredentialLimits {
  readonly permissions: readonly string[] | null;
  readonly projects: readonly string[] | null;
  readonly environments: readonly string[] | null;
  readonly names: readonly string[] | null;
  /** Empty: any address. */
  readonly allowedCidrs: readonly string[];
  /** What it may do, in plain words. */
  readonly allows: string;
}

/** Who a credential is to its server. */
export interface RemoteIdentity {
  readonly server: string;
  /** Null: the credential is that of REEVE_TOKEN. */
  readonly context: string | null;
  /** Null: an API key that does not act for a user. */
  readonly user: { readonly id: string; readonly username: string; readonly email: string } | null;
  /** Null: an API key. */
  readonly token:
    | (CredentialLimits & {
        readonly id: string;
        readonly name: string;
        /** The one team that it is limited to. */
        readonly teamId: string | null;
        /** ms; null: never. */
        readonly expiresAt: number | null;
      })
    | null;
  /** Null: an access token. */
  readonly apiKey:
    | (CredentialLimits & {
        readonly id: string;
        readonly name: string;
        readonly owner: "team" | "user";
        /** The most that it may do. */
        readonly role: string;
        /** The team that owns it, without its slug where the key may not read it; null: a user does. */
        readonly team: { readonly id: string; readonly slug: string | null } | null;
        /** Of the value that was used, ms; null: never. */
        readonly expiresAt: number | null;
      })
    | null;
}

/** Which decision of a gate to find. */
export interface DecisionQuestion {
  readonly id: string;
  /** Id or slug; null: in every team. */
  readonly team: string | null;
}

/** A decision of a gate, as the API shows it. */
export interface FoundDecision {
  readonly server: string;
  /** Id or slug; null: it is of the credential's own team or account. */
  readonly team: string | null;
  readonly decision: {
    readonly id: string;
    /** ms */
    readonly at: number;
    readonly projectId: string;
    readonly action: string;
    readonly status: number | null;
    readonly wouldBe: string | null;
    readonly reason: string | null;
    readonly detail?: string;
    readonly version: number | null;
    readonly by: FirewallCause | null;
    readonly method: string;
    readonly scheme: string;
    readonly host: string;
    readonly target: string;
    readonly ip: string | null;
    readonly userAgent: string | null;
    readonly headers: readonly { readonly name: string; readonly value: string }[];
    readonly logged: readonly FirewallCause[];
    /** Null: the gate did not record them. */
    readonly steps: readonly FirewallStep[] | null;
    readonly omittedSteps: number;
  };
}

/** A server with the client that calls it. */
export interface RemoteClient extends Peer {
  readonly client: Client;
}

/** An environment of a project, and which of its values. */
export interface EnvironmentPlace {
  /** Id or slug; null: what the credential itself owns. */
  readonly team: string | null;
  readonly project: string;
  readonly environment: string;
  /** Separated by commas; null: all. */
  readonly names: string | null;
}

/** What `reeve run` is asked for. */
export interface ProgramRun {
  readonly place: EnvironmentPlace;
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Variables that are set already win over those of the environment. */
  readonly keepsOwn: boolean;
  /** The program may start without a value. */
  readonly allowsEmpty: boolean;
  /** How often to look for changes, after which the program is started again, ms; null: never. */
  readonly watchIntervalMs: number | null;
  /** How long a program may take to stop before it is killed, ms. */
  readonly stopTimeoutMs: number;
  /** How old values for a start without the server may be, ms; null: they are not stored. */
  readonly offlineMaxAgeMs: number | null;
}

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

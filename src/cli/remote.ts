// The interface between the command line and a server elsewhere, which it reaches over HTTP. main.ts implements it.
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

/** Who a credential is to its server. */
export interface RemoteIdentity {
  readonly server: string;
  /** Null: the credential is that of REEVE_TOKEN. */
  readonly context: string | null;
  /** Null: a team's API key, which belongs to no user. */
  readonly user: { readonly id: string; readonly username: string; readonly email: string } | null;
  /** Null: an API key. */
  readonly token: {
    readonly id: string;
    readonly name: string;
    /** The one team that it is limited to. */
    readonly teamId: string | null;
    /** ms; null: never. */
    readonly expiresAt: number | null;
  } | null;
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

/** Which token to explain. */
export interface IdentityQuestion {
  readonly token: string;
  /** Id or slug; null: the credential's own team or account. */
  readonly team: string | null;
}

/** Why a token is exchanged for an API key, or is not, as the API shows it. */
export interface IdentityExplanation {
  readonly server: string;
  readonly accepted: boolean;
  readonly issuer: string | null;
  readonly subject: string | null;
  /** `passes` is null where a check could not be made. */
  readonly checks: readonly { readonly check: string; readonly passes: boolean | null; readonly text: string }[];
  readonly trusts: readonly {
    readonly id: string;
    readonly name: string;
    readonly fits: boolean;
    readonly suspended: boolean;
    readonly issuerFits: boolean;
    readonly audienceFits: boolean;
    readonly issuer: string;
    readonly audience: string;
    readonly claims: readonly {
      readonly claim: string;
      readonly fits: boolean;
      readonly expected: readonly (string | number | boolean)[];
      /** JSON; null: the token does not have it. */
      readonly got: string | null;
    }[];
    readonly permissions: readonly string[];
  }[];
}

export interface Remote {
  explainIdentity(flags: RemoteFlags, question: IdentityQuestion): Promise<IdentityExplanation>;
  /** Waits until a person has approved or refused; `announce` is told first what to open. */
  signIn(flags: RemoteFlags, announce: (device: DeviceSignIn) => void): Promise<ContextEntry>;
  /** Revokes the token and forgets the context; with `isForgotten` also when the server can't be reached. */
  signOut(flags: RemoteFlags, isForgotten: boolean): Promise<SignedOut>;
  identify(flags: RemoteFlags): Promise<RemoteIdentity>;
  listContexts(): Promise<ContextList>;
  /** Throws a Failure when there is none. */
  findDecision(flags: RemoteFlags, question: DecisionQuestion): Promise<FoundDecision>;
  /** Makes a context the one that commands use from now on. */
  useContext(name: string): Promise<ContextEntry>;
}

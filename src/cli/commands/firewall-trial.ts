// What `reeve firewall test` asks for: requests tried on a configuration, and what became of each.

export interface FirewallTrial {
  /** As PUT takes it. */
  readonly configuration: unknown;
  readonly attackMode: unknown;
  readonly bypasses: unknown;
  /** Each begins with empty counters and is sent `repeat` times at one moment. */
  readonly requests: readonly { readonly facts: unknown; readonly repeat: number }[];
}

export interface FirewallCause {
  readonly phase: string;
  readonly id: string | null;
  readonly name: string | null;
}

export interface FirewallStep extends FirewallCause {
  readonly outcome: string;
  readonly action: string;
  readonly reason?: string;
  readonly groups?: readonly {
    readonly matches: boolean;
    readonly conditions: readonly {
      readonly type: string;
      readonly op: string;
      readonly neg: boolean;
      readonly key?: string;
      readonly actual: readonly string[];
      readonly expected?: unknown;
      readonly holds: boolean;
    }[];
  }[];
  readonly count?: number;
  readonly limit?: number;
  readonly isAfterDecision?: true;
}

/** What became of the last of the requests. */
export interface FirewallVerdict {
  readonly decision: {
    readonly action: string;
    readonly status: number | null;
    readonly by: FirewallCause | null;
    readonly isHeld?: true;
  };
  readonly steps: readonly FirewallStep[];
}

/** Something in a file that is not as expected: `field` is a path such as `expectations[2].request.url`. */
export interface InputFault {
  readonly field: string;
  readonly message: string;
}

/** Refuses a trial for all that is wrong with it. */
export class FaultyInputError extends Error {
  override readonly name = "FaultyInputError";
  readonly faults: readonly InputFault[];

  constructor(faults: readonly InputFault[]) {
    super(faults.map(({ field, message }) => `${field}: ${message}`).join("\n"));
    this.faults = faults;
  }
}

// Input and result of `reeve firewall test`: requests, the configuration to evaluate them against, and the decisions.

export interface FirewallTrial {
  /** As PUT takes it. */
  readonly configuration: unknown;
  readonly attackMode: unknown;
  readonly bypasses: unknown;
  /** Each starts with empty counters and is evaluated `repeat` times at the same instant. */
  readonly requests: readonly { readonly attributes: unknown; readonly repeat: number }[];
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

/** The decision for the last repetition of a request. */
export interface FirewallResult {
  readonly decision: {
    readonly action: string;
    readonly status: number | null;
    readonly by: FirewallCause | null;
    readonly isHeld?: true;
  };
  readonly steps: readonly FirewallStep[];
}

/** An error in a file; `field` is a path such as `expectations[2].request.url`. */
export interface InputError {
  readonly field: string;
  readonly message: string;
}

/** Lists every error of the input. */
export class InvalidInputError extends Error {
  override readonly name = "InvalidInputError";
  readonly errors: readonly InputError[];

  constructor(errors: readonly InputError[]) {
    super(errors.map(({ field, message }) => `${field}: ${message}`).join("\n"));
    this.errors = errors;
  }
}

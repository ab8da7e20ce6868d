// What a check of the server, its database or a gate finds.

/** The result of one check of `doctor`. */
export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warning" | "fault";
  readonly detail: string;
  /** What to do about it. */
  readonly advice?: string;
}

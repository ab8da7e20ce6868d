// Exit codes, and expected errors, which are printed without a stack.

/** 69 and 78 are those of sysexits.h. */
export const EXIT_CODES = {
  ok: { code: 0, meaning: "done; a server was asked to stop and did" },
  failed: {
    code: 1,
    meaning:
      "an unexpected failure: a bug, or the machine; expectations that were not met (firewall test); a file that differs (env diff)",
  },
  usage: { code: 2, meaning: "the command line can't be understood" },
  refused: {
    code: 3,
    meaning: "refused for another reason: a value that is wrong, a limit; a question that was not answered with yes",
  },
  fault: {
    code: 4,
    meaning: "the check found a problem (doctor, events verify, restore --verify, keys, identity explain)",
  },
  denied: { code: 5, meaning: "not signed in, or not allowed" },
  absent: { code: 6, meaning: "what the command names is not there, or the credential may not see it" },
  conflict: {
    code: 7,
    meaning:
      "what is there does not allow it: a name that is taken, an entry that is missing, something that was changed meanwhile",
  },
  unavailable: {
    code: 69,
    meaning: "the database, the address to listen on or the server elsewhere can't be used, or has too much to do",
  },
  settings: { code: 78, meaning: "a setting is unknown or wrong, or a control plane refuses what it names (gate)" },
  notExecutable: { code: 126, meaning: "the program of `reeve run` can't be executed" },
  notFound: {
    code: 127,
    meaning:
      "there is no such program (run); else `reeve run` ends as its program does, with 128 and the number of a signal",
  },
} as const;
export type ExitName = keyof typeof EXIT_CODES;

export function exitCode(name: ExitName): number {
  return EXIT_CODES[name].code;
}

/** How a command ends that the API refused with an HTTP status of 4xx. */
export function exitOfStatus(status: number): ExitName {
  if (status === 401 || status === 403) return "denied";
  if (status === 404 || status === 410) return "absent";
  return status === 409 || status === 412 ? "conflict" : "refused";
}

/** An expected failure: the command prints its message without a stack. */
export class Failure extends Error {
  override readonly name = "Failure";
  readonly exit: ExitName;
  /** Machine-readable; part of the JSON output. */
  readonly code: string;
  /** What else the JSON output says. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(exit: ExitName, message: string, code: string = exit, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.exit = exit;
    this.code = code;
    this.details = details;
  }
}

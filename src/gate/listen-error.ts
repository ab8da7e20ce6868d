// The gate cannot listen at its address, which has a setting of its own.

export class GateListenError extends Error {
  override readonly name = "GateListenError";

  constructor(cause: Error) {
    super(cause.message, { cause });
  }
}

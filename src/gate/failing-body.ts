// A body that could not be decoded or judged in time. The first rule that reads it fails by the error: what is decided before stays decided.
import type { DecodedBody } from "../firewall/evaluator/body/decode-body.ts";

export class FailingBody implements DecodedBody {
  readonly #error: unknown;

  constructor(error: unknown) {
    this.#error = error;
  }

  get values(): never {
    throw this.#error;
  }

  get problem(): never {
    throw this.#error;
  }
}

// Checks the solution of a challenge. Puzzle number k asks for a counter c with SHA-256(seed, k, c) below a bound, where the seed is the
// SHA-256 of the token; k and c are 32 bits each, in big-endian order. browser-script.ts looks for them.
import { hash } from "node:crypto";
import { PUZZLES } from "./difficulty.ts";
import type { ChallengeToken } from "./token.ts";

const SEED_BYTES = 32;
const COUNTER = /^[0-9a-z]{1,7}$/;
const MAX_COUNTER = 0xffff_ffff;
const MAX_LENGTH = PUZZLES * 8;

/** The counters in base 36, with dots between them; undefined: malformed. */
function readCounters(solution: string): readonly number[] | undefined {
  if (solution.length > MAX_LENGTH) return undefined;
  const texts = solution.split(".");
  if (texts.length !== PUZZLES || !texts.every((text) => COUNTER.test(text))) return undefined;
  const counters = texts.map((text) => Number.parseInt(text, 36));
  return counters.every((counter) => counter <= MAX_COUNTER) ? counters : undefined;
}

/** At most one hash for each puzzle, and none for what is malformed. */
export function checkSolution({ text, difficulty }: ChallengeToken, solution: string): "right" | "wrong" | "malformed" {
  const counters = readCounters(solution);
  if (counters === undefined) return "malformed";
  const bound = Math.floor(2 ** 32 / difficulty);
  const message = Buffer.alloc(SEED_BYTES + 8);
  message.set(hash("sha256", text, "buffer"));
  const isRight = counters.every((counter, puzzle) => {
    message.writeUInt32BE(puzzle, SEED_BYTES);
    message.writeUInt32BE(counter, SEED_BYTES + 4);
    return hash("sha256", message, "buffer").readUInt32BE() < bound;
  });
  return isRight ? "right" : "wrong";
}

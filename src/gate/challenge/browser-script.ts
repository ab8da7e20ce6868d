// The script of the page, which is the script of its worker too. It solves the puzzles that proof.ts checks. SHA-256 is in plain
// JavaScript: `crypto.subtle` is absent on plain http, and asynchronous.
import { hash } from "node:crypto";
import { PUZZLES } from "./difficulty.ts";
import { BASE_PATH } from "./routes.ts";

/** `createSolver(token, difficulty)` makes `step(hashes)`, which tries so many and returns the solution, or null as long as there is none. */
export const SOLVER_SCRIPT = `
const K = Int32Array.from(("428a2f98 71374491 b5c0fbcf e9b5dba5 3956c25b 59f111f1 923f82a4 ab1c5ed5 d807aa98 12835b01 243185be 550c7dc3 " +
  "72be5d74 80deb1fe 9bdc06a7 c19bf174 e49b69c1 efbe4786 0fc19dc6 240ca1cc 2de92c6f 4a7484aa 5cb0a9dc 76f988da 983e5152 a831c66d " +
  "b00327c8 bf597fc7 c6e00bf3 d5a79147 06ca6351 14292967 27b70a85 2e1b2138 4d2c6dfc 53380d13 650a7354 766a0abb 81c2c92e 92722c85 " +
  "a2bfe8a1 a81a664b c24b8b70 c76c51a3 d192e819 d6990624 f40e3585 106aa070 19a4c116 1e376c08 2748774c 34b0bcb5 391c0cb3 4ed8aa4a " +
  "5b9cca4f 682e6ff3 748f82ee 78a5636f 84c87814 8cc70208 90befffa a4506ceb bef9a3f7 c67178f2").split(" "), (hex) => parseInt(hex, 16));
const INITIAL = Int32Array.of(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
const words = new Int32Array(64);
const state = new Int32Array(8);

function compress() {
  for (let at = 16; at < 64; at++) {
    const x = words[at - 15], y = words[at - 2];
    words[at] = ((y >>> 17 | y << 15) ^ (y >>> 19 | y << 13) ^ y >>> 10) + words[at - 7]
      + ((x >>> 7 | x << 25) ^ (x >>> 18 | x << 14) ^ x >>> 3) + words[at - 16] | 0;
  }
  let a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
  for (let at = 0; at < 64; at++) {
    const one = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (e & f ^ ~e & g) + K[at] + words[at] | 0;
    const two = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b ^ a & c ^ b & c) | 0;
    h = g; g = f; f = e; e = d + one | 0; d = c; c = b; b = a; a = one + two | 0;
  }
  state[0] += a; state[1] += b; state[2] += c; state[3] += d; state[4] += e; state[5] += f; state[6] += g; state[7] += h;
}

function sha256(ascii) {
  const blocks = (ascii.length + 8 >> 6) + 1;
  const message = new Int32Array(blocks * 16);
  for (let at = 0; at < ascii.length; at++) message[at >> 2] |= ascii.charCodeAt(at) << 24 - at % 4 * 8;
  message[ascii.length >> 2] |= 0x80 << 24 - ascii.length % 4 * 8;
  message[blocks * 16 - 1] = ascii.length * 8;
  state.set(INITIAL);
  for (let at = 0; at < message.length; at += 16) {
    words.set(message.subarray(at, at + 16));
    compress();
  }
  return state.slice();
}

function createSolver(token, difficulty) {
  const seed = sha256(token);
  const bound = Math.floor(2 ** 32 / difficulty);
  const counters = [];
  let counter = 0;
  return function step(hashes) {
    words.fill(0, 0, 16);
    words.set(seed);
    words[10] = 0x80000000;
    words[15] = 320;
    for (let left = hashes; left > 0; left--) {
      words[8] = counters.length;
      words[9] = counter;
      state.set(INITIAL);
      compress();
      if (state[0] >>> 0 < bound) {
        counters.push(counter);
        counter = -1;
        if (counters.length === ${PUZZLES}) return counters.map((number) => number.toString(36)).join(".");
      }
      counter++;
    }
    step.solved = counters.length;
    return null;
  };
}
`;

const WORKER_SCRIPT = `
function work() {
  onmessage = ({ data }) => {
    const step = createSolver(data.token, data.difficulty);
    let solution = null;
    while (solution === null) {
      solution = step(5000);
      postMessage({ solved: step.solved, solution });
    }
  };
  postMessage({ solved: 0, solution: null });
}
`;

/** A worker that says nothing for so long is blocked. */
const PATIENCE_MS = 3_000;
/** A chunk on the main thread; then the page may react. */
const CHUNK_MS = 12;

const PAGE_SCRIPT = `
function showPage() {
  const get = (id) => document.getElementById(id);
  const { dataset } = get("challenge");
  const task = { token: dataset.token, difficulty: Number(dataset.difficulty) };
  const source = document.currentScript.src;
  const say = (text) => { get("status").textContent = text; };

  function fail(what) {
    get("work").hidden = get("explanation").hidden = true;
    get("title").textContent = dataset[what + "Title"];
    get("failure-text").textContent = dataset[what];
    get("failure").hidden = false;
    get("again").focus();
  }

  function finish() {
    get("progress").value = ${PUZZLES};
    if (dataset.form === "lost") {
      const back = get("back");
      say(back.dataset.ready);
      back.hidden = false;
      back.addEventListener("click", () => history.back());
      back.focus();
      return;
    }
    say(dataset.done);
    // A field of the form may have the name of a method.
    if (dataset.form === "kept") HTMLFormElement.prototype.submit.call(get("form"));
    else if (dataset.return) location.replace(dataset.return + location.hash);
    else location.reload();
  }

  async function redeem(solution) {
    const body = new URLSearchParams({ token: task.token, solution });
    const common = { cache: "no-store", redirect: "error" };
    const issued = await fetch("${BASE_PATH}/solve", { method: "POST", body, ...common });
    if (!issued.ok) return fail("failed");
    const kept = await fetch("${BASE_PATH}/pass", common);
    if (kept.ok) finish();
    else fail(kept.status === 403 ? "cookies" : "failed");
  }

  function report({ solved, solution }) {
    if (solved > get("progress").value) get("progress").value = solved;
    if (solution !== null) redeem(solution).catch(() => fail("failed"));
  }

  function workHere() {
    const step = createSolver(task.token, task.difficulty);
    (function workOn() {
      const end = performance.now() + ${CHUNK_MS};
      let solution = null;
      while (solution === null && performance.now() < end) solution = step(500);
      report({ solved: step.solved, solution });
      if (solution === null) setTimeout(workOn, 0);
    })();
  }

  function workInWorker() {
    const worker = new Worker(source);
    const giveUp = () => {
      worker.onmessage = worker.onerror = null;
      worker.terminate();
      workHere();
    };
    const timer = setTimeout(giveUp, ${PATIENCE_MS});
    worker.onerror = () => {
      clearTimeout(timer);
      giveUp();
    };
    worker.onmessage = ({ data }) => {
      clearTimeout(timer);
      report(data);
    };
    worker.postMessage(task);
  }

  get("skip").hidden = true;
  get("work").hidden = false;
  get("again").addEventListener("click", () => location.reload());
  say(dataset.working);
  try {
    workInWorker();
  } catch {
    workHere();
  }
}
`;

export const BROWSER_SCRIPT = `"use strict";
(() => {${SOLVER_SCRIPT}${WORKER_SCRIPT}${PAGE_SCRIPT}
if (typeof document === "undefined") work();
else showPage();
})();
`;

/** Changes with the text, so browsers may keep the script for good. */
export const SCRIPT_NAME = `check-${hash("sha256", BROWSER_SCRIPT, "hex").slice(0, 12)}.js`;

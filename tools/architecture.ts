// `npm run architecture`: draws src/ as text. Rooms (the folders of the platform, and the areas), their size, and whom each imports. Fails
// on an import that goes up; without one no rooms import each other in a circle.
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ORDER, rankOf } from "../test/architecture/order.ts";

const SRC = join(import.meta.dirname, "../src");
const IMPORT = /^(?:import|export)\b[^;"=(]*"(\.[^"]+)"|\bimport\(\s*"(\.[^"]+)"/gm;

/** The room of a path: a folder of the platform, or an area. */
function roomOf(path: string): string {
  const [area = "", folder = ""] = path.split("/");
  return area === "platform" ? `${area}/${folder}` : area;
}

interface Room {
  files: number;
  lines: number;
  /** How many imports lead to each other room. */
  readonly imports: Map<string, number>;
}

const rooms = new Map<string, Room>(
  [...new Set(ORDER.map(roomOf))].map((name) => [name, { files: 0, lines: 0, imports: new Map() }]),
);
const upward: string[] = [];

for (const file of globSync("**/*.ts", { cwd: SRC, exclude: ["**/*.test.ts"] })) {
  const text = readFileSync(join(SRC, file), "utf8");
  const room = rooms.get(roomOf(file));
  if (!room) throw new Error(`${file} is in no room: name its folder in test/architecture/order.ts`);
  room.files++;
  room.lines += text.split("\n").length - 1;
  for (const [, fixed, later = ""] of text.matchAll(IMPORT)) {
    const to = join(dirname(file), fixed ?? later);
    if (to.startsWith("..")) continue;
    if (rankOf(to) > rankOf(file)) upward.push(`${file} -> ${to}`);
    const other = roomOf(to);
    if (other !== roomOf(file)) room.imports.set(other, (room.imports.get(other) ?? 0) + 1);
  }
}

const lines = [...rooms.values()].reduce((sum, room) => sum + room.lines, 0);
const files = [...rooms.values()].reduce((sum, room) => sum + room.files, 0);
const arrows = [...rooms.values()].reduce((sum, { imports }) => sum + imports.size, 0);
for (const [name, room] of rooms) {
  const imports = [...room.imports].toSorted(([a], [b]) => a.localeCompare(b)).map(([to, count]) => `${to} (${count})`);
  const share = Math.round((100 * room.lines) / lines);
  console.log(
    `${name.padEnd(20)} ${String(room.files).padStart(4)} files ${String(room.lines).padStart(6)} lines ${String(share).padStart(3)} %  -> ${imports.join(", ") || "nothing"}`,
  );
}
console.log(
  `\n${rooms.size} rooms, ${arrows} arrows between them, ${upward.length} imports that go up, ${files} files, ${lines} lines`,
);
for (const one of upward) console.log(`up: ${one}`);
process.exitCode = upward.length === 0 ? 0 : 1;

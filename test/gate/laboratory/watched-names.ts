// The names that the rules of the laboratory watch, one rule a path, so that the path of a request chooses the rule that is tried.
import type { Reading } from "./applications.ts";

/** What rules look for. Generated requests put it into fields; no other part of a request holds it. */
export const MARKS: readonly string[] = ["evil", "\u00e9vil", "\u0437\u043b\u043e"];
/** No rule is for this path. */
export const OPEN_PATH = "/open";
/** The rules of all names are for what begins with this. */
export const STRICT_PATH = "/strict";

const FIELDS = [
  "role",
  "user.role",
  "user_role",
  "user",
  "comment",
  "comment.filename",
  "a.b",
  "a.0",
  "a",
  "user.@role",
];
const NAMES: Readonly<Record<Reading["kind"], readonly string[]>> = {
  query: FIELDS,
  cookie: FIELDS,
  body: [...FIELDS, "*"],
  header: ["x-http-method-override", "x-role", "user-agent", "referer", "authorization", "x-a-b"],
};
const AMOUNT = "amount";
const LIMIT = 1000;

interface WatchedName {
  readonly kind: Reading["kind"];
  readonly name: string;
  readonly path: string;
}

const WATCHED: readonly WatchedName[] = Object.entries(NAMES).flatMap(([kind, names]) =>
  [...names, AMOUNT].map((name, at) => ({ kind: kind as Reading["kind"], name, path: `/${kind}/${at}` })),
);

/** A configuration with the rule of each name. */
export const CONFIGURATION = {
  firewallEnabled: true,
  rules: WATCHED.map(({ kind, name, path }) => ({
    name: `${kind} ${name}`,
    active: true,
    conditionGroup: [
      { type: "path", op: "eq", value: path },
      { type: "path", op: "pre", value: STRICT_PATH },
    ].map((onPath) => ({
      conditions: [
        onPath,
        name === AMOUNT
          ? { type: kind, key: name, op: "gt", value: String(LIMIT) }
          : { type: kind, key: name, op: "re", value: MARKS.join("|") },
      ],
    })),
    action: { mitigate: { action: "deny" } },
  })),
};

/** The paths at which a request with this reading has to be refused. */
export function pathsFor({ kind, name, value, number }: Reading): readonly string[] {
  const isMarked = MARKS.some((mark) => value.toLowerCase().includes(mark));
  const isMuch = number !== null && number > LIMIT;
  return WATCHED.filter(
    (watched) =>
      watched.kind === kind &&
      (watched.name === AMOUNT
        ? isMuch && name === AMOUNT
        : isMarked && (watched.name === name || watched.name === "*")),
  ).map(({ path }) => path);
}

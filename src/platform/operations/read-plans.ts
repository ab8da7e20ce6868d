// What the changes of an operation read first, learned from those before: each statement, and where its parameters are found in the request,
// its caller and its scope. PostgreSQL runs these reads together (platform/store/postgres/read-ahead.ts).
import type { SqlValue, Statement } from "../kernel/tx.ts";
import type { AskedRead, PlannedRead, ReadPlan, Written } from "../store/database.ts";

/** Of a read that is learned for nothing so often. */
const MAX_IN_VAIN = 3;
const MAX_READS = 32;
/** Deep enough for a member of an element of a body. */
const MAX_DEPTH = 6;
const MAX_PLACES = 400;

type Place = readonly string[];

/** How the value of a parameter is known beforehand. */
interface Source {
  /** Where values were the same each time so far. */
  places: Place[];
  /** Set while it was the same value each time. */
  constant: SqlValue | undefined;
}

interface Learned {
  readonly statement: Statement;
  /** What changed before it was read; null: nothing that it reads. */
  readonly after: Statement | null;
  readonly sources: ReadonlyMap<string, Source>;
  timesInVain: number;
}

const isOf =
  ({ statement, after }: Pick<AskedRead, "statement" | "after">) =>
  (one: Learned) =>
    one.statement === statement && one.after === after;

/** The ids that changes have written, such as those of new rows: the request does not tell them. */
function idsIn(written: Written): object {
  const isId = ([name]: readonly [string, unknown]) => /^id$|Id$/.test(name);
  return Object.fromEntries(
    Object.entries(written).map(([name, params]) => [name, Object.fromEntries(Object.entries(params).filter(isId))]),
  );
}

function placesOf(known: object): Map<SqlValue, Place[]> {
  const places = new Map<SqlValue, Place[]>();
  let count = 0;
  const add = (value: SqlValue, place: Place) => {
    const same = places.get(value);
    if (same) same.push(place);
    else places.set(value, [place]);
  };
  const walk = (value: unknown, place: Place): void => {
    if (typeof value === "string" || typeof value === "number") {
      if (++count > MAX_PLACES) return;
      add(value, place);
      if (typeof value !== "string") return;
      add(value.toLowerCase(), [...place, FOLDED]);
      const number = numberAfter(value);
      if (number !== undefined) add(number, [...place, NUMBERED]);
    } else if (typeof value === "object" && value !== null && place.length < MAX_DEPTH && !ArrayBuffer.isView(value)) {
      for (const [name, member] of Object.entries(value)) walk(member, [...place, name]);
    }
  };
  walk(known, []);
  return places;
}

/** Last steps of a place: names are compared in this form, and the id of a delivery ends in the sequence of its event. */
const FOLDED = "(folded)";
const NUMBERED = "(number)";

function numberAfter(text: string): number | undefined {
  const [, digits] = /_(\d{1,15})$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

const valueAt = (known: object, place: Place) =>
  place.reduce<unknown>((at, name) => {
    if (name === FOLDED) return typeof at === "string" ? at.toLowerCase() : undefined;
    if (name === NUMBERED) return typeof at === "string" ? numberAfter(at) : undefined;
    return (at as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }, known);

/** The reads of one operation. */
export class LearnedReads {
  #reads: Learned[] = [];
  /** Those whose parameters nothing tells beforehand. */
  readonly #unknowable: Pick<AskedRead, "statement" | "after">[] = [];

  /** The plan for a request; `request` is plain data. */
  planFor(request: object): ReadPlan {
    const planned = new Map<PlannedRead, Learned>();
    return {
      reads: (written, lastChangeFor) => {
        const isFirst = Object.keys(written).length === 0;
        const due = this.#reads.filter(
          ({ statement, after }) => isFirst === (after === null) && lastChangeFor(statement) === after,
        );
        if (due.length === 0) return [];
        const known = { request, written };
        return due.flatMap((learned) => {
          const read = readFrom(learned, known);
          if (read) planned.set(read, learned);
          return read ?? [];
        });
      },
      learn: (asked, { used, unused }, written) => {
        const learnedOf = (reads: Iterable<PlannedRead>) => new Set(Array.from(reads, (one) => planned.get(one)));
        const vain = learnedOf(unused).difference(learnedOf(used)) as ReadonlySet<Learned>;
        this.#learn({ written: idsIn(written), request }, asked, vain);
      },
      fail: () => void (this.#reads = []),
    };
  }

  #learn(known: object, asked: readonly AskedRead[], vain: ReadonlySet<Learned>): void {
    for (const learned of this.#reads) if (!vain.has(learned)) learned.timesInVain = 0;
    if (vain.size === 0 && asked.every((read) => this.#isKnown(read))) return;
    const places = placesOf(known);
    const left = new Set(vain);
    for (const read of asked) {
      const like = [...left].find(isOf(read));
      if (like) {
        left.delete(like);
        this.#narrow(like, read.params, places);
      } else this.#add(read, places);
    }
    for (const learned of left) {
      if (++learned.timesInVain >= MAX_IN_VAIN) this.#reads = this.#reads.filter((one) => one !== learned);
    }
  }

  #isKnown(read: AskedRead): boolean {
    if (this.#reads.length >= MAX_READS) return true;
    const isSame = isOf(read) as (one: Pick<AskedRead, "statement" | "after">) => boolean;
    return this.#reads.some(isSame) || this.#unknowable.some(isSame);
  }

  #add(read: AskedRead, places: ReadonlyMap<SqlValue, Place[]>): void {
    if (this.#isKnown(read)) return;
    const { statement, after, params } = read;
    const sources = Object.keys(params).map((name): [string, Source] => {
      const constant = params[name] as SqlValue;
      return [name, { places: places.get(constant) ?? [], constant }];
    });
    this.#reads.push({ statement, after, sources: new Map(sources), timesInVain: 0 });
  }

  /** Forgets what did not tell the parameters this time. */
  #narrow(learned: Learned, params: PlannedRead["params"], places: ReadonlyMap<SqlValue, Place[]>): void {
    for (const [name, source] of learned.sources) {
      const value = params[name] as SqlValue;
      if (source.constant !== value) source.constant = undefined;
      const now = (places.get(value) ?? []).map((place) => place.join("\0"));
      source.places = source.places.filter((place) => now.includes(place.join("\0")));
      if (source.constant !== undefined || source.places.length > 0) continue;
      this.#unknowable.push(learned);
      this.#reads = this.#reads.filter((one) => one !== learned);
      return;
    }
  }
}

/** The read with the parameters of this request; undefined: they are not known. */
function readFrom({ statement, sources }: Learned, known: object): PlannedRead | undefined {
  const params: Record<string, SqlValue> = {};
  for (const [name, { places, constant }] of sources) {
    const values = constant === undefined ? places.map((place) => valueAt(known, place)) : [constant];
    const value = values.find((one) => one !== undefined);
    if (value === undefined) return undefined;
    params[name] = value as SqlValue;
  }
  return { statement, params };
}

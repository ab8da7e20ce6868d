// What the changes of an operation read first, learned from those before: each statement, and where its parameters are found in the request,
// its caller and its scope. PostgreSQL runs these reads together (platform/store/postgres/read-ahead.ts).
import type { SqlValue, Statement } from "../kernel/tx.ts";
import type { PlannedRead, ReadPlan } from "../store/database.ts";

/** Of a read that is learned for nothing so often. */
const MAX_IN_VAIN = 3;
const MAX_READS = 32;
/** Deep enough for a member of an element of a body. */
const MAX_DEPTH = 5;
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
  readonly sources: ReadonlyMap<string, Source>;
  timesInVain: number;
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
      if (typeof value === "string") add(value.toLowerCase(), [...place, FOLDED]);
    } else if (typeof value === "object" && value !== null && place.length < MAX_DEPTH && !ArrayBuffer.isView(value)) {
      for (const [name, member] of Object.entries(value)) walk(member, [...place, name]);
    }
  };
  walk(known, []);
  return places;
}

/** A last step of a place: names are compared in this form. */
const FOLDED = "(folded)";

const valueAt = (known: object, place: Place) =>
  place.reduce<unknown>((at, name) => {
    if (name === FOLDED) return typeof at === "string" ? at.toLowerCase() : undefined;
    return (at as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }, known);

/** The reads of one operation. */
export class LearnedReads {
  #reads: Learned[] = [];
  /** Those whose parameters nothing tells beforehand. */
  readonly #unknowable = new Set<Statement>();

  /** The plan for a request; `known` is plain data. */
  planFor(known: object): ReadPlan {
    const planned = new Map<PlannedRead, Learned>();
    return {
      reads: () => {
        for (const learned of this.#reads) {
          const params: Record<string, SqlValue> = {};
          for (const [name, { places, constant }] of learned.sources) {
            const value = constant === undefined ? valueAt(known, places[0] as Place) : constant;
            params[name] = value as SqlValue;
          }
          if (Object.values(params).every((value) => value !== undefined)) {
            planned.set({ statement: learned.statement, params }, learned);
          }
        }
        return [...planned.keys()];
      },
      learn: (asked, unused) =>
        this.#learn(
          known,
          asked,
          unused.map((read) => planned.get(read) as Learned),
        ),
      fail: () => void (this.#reads = []),
    };
  }

  #learn(known: object, asked: readonly PlannedRead[], unused: readonly Learned[]): void {
    for (const learned of this.#reads) if (!unused.includes(learned)) learned.timesInVain = 0;
    if (unused.length === 0 && asked.every(({ statement }) => this.#isKnown(statement))) return;
    const places = placesOf(known);
    const left = new Set(unused);
    for (const { statement, params } of asked) {
      const like = [...left].find((learned) => learned.statement === statement);
      if (like) {
        left.delete(like);
        this.#narrow(like, params, places);
      } else this.#add(statement, params, places);
    }
    for (const learned of left) {
      if (++learned.timesInVain >= MAX_IN_VAIN) this.#reads = this.#reads.filter((one) => one !== learned);
    }
  }

  #isKnown(statement: Statement): boolean {
    if (this.#reads.length >= MAX_READS || this.#unknowable.has(statement)) return true;
    return this.#reads.some((learned) => learned.statement === statement);
  }

  #add(statement: Statement, params: PlannedRead["params"], places: ReadonlyMap<SqlValue, Place[]>): void {
    if (this.#isKnown(statement)) return;
    const sources = Object.keys(params).map((name): [string, Source] => {
      const constant = params[name] as SqlValue;
      return [name, { places: places.get(constant) ?? [], constant }];
    });
    this.#reads.push({ statement, sources: new Map(sources), timesInVain: 0 });
  }

  /** Forgets what did not tell the parameters this time. */
  #narrow(learned: Learned, params: PlannedRead["params"], places: ReadonlyMap<SqlValue, Place[]>): void {
    for (const [name, source] of learned.sources) {
      const value = params[name] as SqlValue;
      if (source.constant !== value) source.constant = undefined;
      const now = (places.get(value) ?? []).map((place) => place.join("\0"));
      source.places = source.places.filter((place) => now.includes(place.join("\0")));
      if (source.constant !== undefined || source.places.length > 0) continue;
      this.#unknowable.add(learned.statement);
      this.#reads = this.#reads.filter((one) => one !== learned);
      return;
    }
  }
}

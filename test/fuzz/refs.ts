// What a made-up request says of things that exist only once it is sent: they are filled in then.

/** Whose thing is meant. */
export type Whose = "own" | "foreign" | "absent";

/** A thing that earlier requests made, by its kind; `pick` says which of them. */
export class Ref {
  readonly kind: string;
  readonly pick: number;
  readonly whose: Whose;

  constructor(kind: string, pick: number, whose: Whose) {
    this.kind = kind;
    this.pick = pick;
    this.whose = whose;
  }
}

/** A name that nothing has yet. */
export class Fresh {
  readonly before: string;
  readonly after: string;

  constructor(before: string, after = "") {
    this.before = before;
    this.after = after;
  }
}

/** A moment, counted from the one at which the request is sent. */
export class Moment {
  readonly offsetMs: number;
  readonly isText: boolean;

  constructor(offsetMs: number, isText = false) {
    this.offsetMs = offsetMs;
    this.isText = isText;
  }
}

export interface Filling {
  ref(ref: Ref): string | number;
  fresh(fresh: Fresh): string;
  readonly now: number;
}

/** The value with everything filled in that it left open. */
export function fill(value: unknown, filling: Filling): unknown {
  if (value instanceof Ref) return filling.ref(value);
  if (value instanceof Fresh) return filling.fresh(value);
  if (value instanceof Moment) {
    const at = filling.now + value.offsetMs;
    return value.isText ? new Date(at).toISOString() : at;
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, filling));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member, filling)]));
}

// What the readers of each kind of body work with: values with names, texts of bytes, and the way out for what cannot be read.
import { countStep } from "../time-limit.ts";
import { MAX_FIELD_NAME, fieldNames, hasOtherNames } from "./field-names.ts";

export type NamedValue = readonly [name: string, value: string];

/** The body is not what its headers say: the message is what was found, such as `it is not JSON`. */
export class UndecodableError extends Error {
  override readonly name = "UndecodableError";
}

/** Names repeat those around them: without a bound a small body could have values with gigabytes of names. */
const MAX_NAME_LENGTH = 512;

/** The name of what is inside of something that has a name itself. */
export function joinNames(outer: string | undefined, name: string): string {
  const joined = outer ? `${outer}.${name}` : name;
  if (joined.length > MAX_NAME_LENGTH) throw new UndecodableError(`a name has more than ${MAX_NAME_LENGTH} characters`);
  return joined;
}

/** What applications send has fewer, and each is compared with every rule. */
const MAX_VALUES = 10_000;

/** The most other names of all fields together. */
const MAX_OTHER_NAMES = 50_000;

/** What takes values with names. */
export interface Named {
  readonly keepsLongNames?: boolean;
  /** `isOther`: the value has been added at another name. */
  add(name: string, value: string, isOther?: boolean): void;
}

/** Adds a field of a form or a query at all of its names. */
export function addField(values: Named, name: string, value: string): void {
  if (!hasOtherNames(name)) return values.add(name, value);
  if (values.keepsLongNames !== undefined && name.length > MAX_FIELD_NAME) {
    if (values.keepsLongNames) return values.add(name, value);
    throw new UndecodableError(`the name of a field has more than ${MAX_FIELD_NAME} characters`);
  }
  let isOther = false;
  for (const one of fieldNames(name)) {
    values.add(one, value, isOther);
    isOther = true;
  }
}

/** The values of one body. */
export class ValueList implements Named {
  /** Whether a long name that may have others makes the body unreadable: a text of another type may just contain an equals sign. */
  keepsLongNames = false;
  readonly all: NamedValue[] = [];
  #otherNames = 0;

  add(name: string, value: string, isOther = false): void {
    countStep();
    if (isOther && ++this.#otherNames > MAX_OTHER_NAMES)
      throw new UndecodableError(`its fields have more than ${MAX_OTHER_NAMES} names`);
    if (this.all.length - this.#otherNames >= MAX_VALUES)
      throw new UndecodableError(`it has more than ${MAX_VALUES} values`);
    this.all.push([name, value]);
  }

  addAll({ all }: ValueList): void {
    for (const [name, value] of all) this.add(name, value);
  }

  /** Adds what another reading of the same text has instead. */
  addReading({ all }: ValueList): void {
    for (const [at, [name, value]] of all.entries()) {
      countStep();
      const known = this.all[at];
      if (known?.[0] !== name || known[1] !== value) this.add(name, value, true);
    }
  }
}

// Reads what deliveries send of their events. Webhooks of one owner often have deliveries of the same events, so one read serves all
// workers that ask for events of an owner at a time.
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Tx } from "../../platform/kernel/tx.ts";
import { readEvents } from "../queue/delivery-store.ts";
import type { DueDelivery, EventPart, WaitingDelivery } from "../queue/delivery-store.ts";

/** Events of one statement, so that it takes some milliseconds. */
const MAX_READ = 512;
/** A range is read if at least one in so many of its events is wanted. */
const SPARSE = 2;

type EventParts = ReadonlyMap<number, EventPart>;

/** The events of an owner that are to be read next. */
interface NextRead {
  readonly sequences: Set<number>;
  readonly events: Promise<EventParts>;
}

const MISSING: EventPart = { payload: null, userId: null, requestId: null, isLong: 0 };

export class EventReader {
  readonly #reader: Tx;
  /** By owner. */
  readonly #next = new Map<string, NextRead>();

  constructor(reader: Tx) {
    this.#reader = reader;
  }

  /** The deliveries with the parts of their events. */
  async addTo(ownerId: string, deliveries: readonly WaitingDelivery[]): Promise<DueDelivery[]> {
    if (deliveries.length === 0) return [];
    const events = await this.#find(ownerId, deliveries);
    return deliveries.map((delivery) => {
      const { sequence, type, attempts, tries, dueAt, createdAt } = delivery;
      const { payload, userId, requestId, isLong } = events.get(sequence) ?? MISSING;
      return { sequence, type, attempts, tries, dueAt, createdAt, payload, userId, requestId, isLong };
    });
  }

  #find(ownerId: string, deliveries: readonly WaitingDelivery[]): Promise<EventParts> {
    let next = this.#next.get(ownerId);
    if (!next) {
      const sequences = new Set<number>();
      next = { sequences, events: this.#readSoon(ownerId, sequences) };
      this.#next.set(ownerId, next);
    }
    for (const { sequence } of deliveries) next.sequences.add(sequence);
    return next.events;
  }

  async #readSoon(ownerId: string, wanted: ReadonlySet<number>): Promise<EventParts> {
    // Workers that have found their deliveries at the same time ask before this goes on.
    await Promise.resolve();
    this.#next.delete(ownerId);
    const sequences = [...wanted].toSorted((a, b) => a - b);
    const found = new Map<number, EventPart>();
    for (let at = 0; at < sequences.length; at += MAX_READ) {
      if (at > 0) await nextTurn();
      for (const event of await this.#read(ownerId, sequences.slice(at, at + MAX_READ)))
        found.set(event.sequence, event);
    }
    return found;
  }

  async #read(ownerId: string, sequences: readonly number[]): Promise<(EventPart & { readonly sequence: number })[]> {
    const [first, last] = [sequences[0] as number, sequences.at(-1) as number];
    return last - first < SPARSE * sequences.length
      ? await readEvents.range(this.#reader, { ownerId, first, last })
      : await readEvents.each(this.#reader, { ownerId, sequences: JSON.stringify(sequences) });
  }
}

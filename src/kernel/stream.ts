// Answers that are sent while they are read: a sequence of parts, each of them a short read of its own. So an answer of
// any length takes constant memory, keeps no transaction open, and is read no faster than it is taken.

/** One form of an endpoint's answer that is sent in parts; its media type is the key. */
export interface StreamForm {
  /** For the documentation: what it is made of. */
  readonly description: string;
}

/** Which part a verb is asked for. */
export interface ChunkRequest {
  /** A key of the endpoint's `streams`. */
  readonly mediaType: string;
  /** `next` of the part before; null asks for the first part. */
  readonly cursor: unknown;
  /** The request's `Last-Event-ID`; null when it has none. */
  readonly lastEventId: string | null;
}

/** How far an owner's chain of events goes. */
export interface ChainPosition {
  readonly ownerId: string;
  readonly sequence: number;
}

/** One part of an answer. */
export interface Chunk {
  /** What is sent; may be empty. */
  readonly text: string;
  /** Where the next part begins, as plain data; null: the answer is complete. */
  readonly next: unknown;
  /** Of a live answer: nothing more is there until this chain goes further. */
  readonly awaits?: ChainPosition;
}

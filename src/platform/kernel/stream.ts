// Streamed responses: a sequence of chunks, each of which is a short read of its own. A response of any length takes constant
// memory, keeps no transaction open, and is read no faster than the client receives it.

/** One streamed form of an endpoint's response; its media type is the key. */
export interface StreamForm {
  /** The format, for the documentation. */
  readonly description: string;
}

/** Names the chunk to read. */
export interface ChunkRequest {
  /** A key of the endpoint's `streams`. */
  readonly mediaType: string;
  /** `next` of the previous chunk; null: the first chunk. */
  readonly cursor: unknown;
  /** The request's `Last-Event-ID`; null when it has none. */
  readonly lastEventId: string | null;
}

/** A position in an owner's chain of events. */
export interface ChainPosition {
  readonly ownerId: string;
  readonly sequence: number;
}

/** One chunk of a streamed response. */
export interface Chunk {
  /** The text to send; may be empty. */
  readonly text: string;
  /** Cursor of the next chunk, as plain data; null: the response is complete. */
  readonly next: unknown;
  /** Of a live response: there is no more to send until this chain has a later event. */
  readonly awaits?: ChainPosition;
}

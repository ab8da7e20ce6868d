// The rows of a long ordered read, one page at a time in constant memory, with one row of lookahead.

export interface RowStream<R> {
  /** The next row, without taking it. */
  peek(): Promise<R | undefined>;
  take(): Promise<R | undefined>;
}

/** `readPage` reads the rows after a given one, and the first rows after undefined; an empty page ends the stream. */
export function streamRows<R>(readPage: (last: R | undefined) => Promise<readonly R[]>): RowStream<R> {
  let page: readonly R[] = [];
  let at = 0;
  let isDone = false;

  async function peek(): Promise<R | undefined> {
    if (at === page.length && !isDone) {
      page = await readPage(page.at(-1));
      at = 0;
      isDone = page.length === 0;
    }
    return page[at];
  }
  return {
    peek,
    async take() {
      const row = await peek();
      if (row !== undefined) at++;
      return row;
    },
  };
}

// Rows of a long ordered read, page by page and one ahead, in constant memory.

export interface RowStream<R> {
  /** The row that comes next, which stays. */
  peek(): Promise<R | undefined>;
  take(): Promise<R | undefined>;
}

/** `readPage` answers the rows after one; the first page comes after undefined, the last is empty. */
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

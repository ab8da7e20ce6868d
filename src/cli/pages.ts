// Reads all pages of a list.

const PAGE_SIZE = 100;

// A type, not an interface: an interface is not assignable to the index signature of a query.
type Page = { readonly limit: number; readonly until?: number };

/** All items under `key`, newest first; `readPage` returns one page with its `pagination`. */
export async function readAllPages<T>(key: string, readPage: (page: Page) => Promise<unknown>): Promise<readonly T[]> {
  const items: T[] = [];
  let page: Page | null = { limit: PAGE_SIZE };
  while (page) {
    const body = (await readPage(page)) as Readonly<Record<string, unknown>>;
    items.push(...(body[key] as T[]));
    const { next } = body["pagination"] as { readonly next: number | null };
    page = next === null ? null : { limit: PAGE_SIZE, until: next };
  }
  return items;
}

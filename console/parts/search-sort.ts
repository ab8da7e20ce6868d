// How a list is sorted, as part of the page's address: `name`, or `-name` for the other direction.
import type { Sort } from "./table.tsx";
import { useSearchValue } from "./search-value.ts";

/** What the table shows, and what the API is asked; nothing is the list's own order. */
export function useSearchSort<S extends string>(sorts: readonly S[]) {
  const [value, setValue] = useSearchValue("sort");
  const isDown = value.startsWith("-");
  const named = isDown ? value.slice(1) : value;
  const by = sorts.find((one) => one === named);
  const sort: Sort = {
    by: by ?? "",
    isDown,
    onSort: (next, isNextDown) => setValue(`${isNextDown ? "-" : ""}${next}`),
  };
  const query = by === undefined ? {} : { sort: by, order: isDown ? ("desc" as const) : ("asc" as const) };
  return { sort, query };
}

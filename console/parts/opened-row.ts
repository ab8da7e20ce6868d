// The row of a list whose details are shown: part of the page's address, so that its name is a link.
import { useLocation, useSearchParams } from "wouter";
import { useSearchValue } from "./search-value.ts";

export function useOpenedRow<R>(name: string, rows: readonly R[], keyOf: (row: R) => string) {
  const [key, open] = useSearchValue(name);
  const [path] = useLocation();
  const [params] = useSearchParams();
  const at = rows.findIndex((row) => keyOf(row) === key);
  return {
    key,
    row: rows[at],
    close: () => open(""),
    hrefOf: (row: R): string =>
      `${path}?${new URLSearchParams([...params].filter(([one]) => one !== name).concat([[name, keyOf(row)]])).toString()}`,
    step(by: 1 | -1) {
      const next = rows[at + by];
      if (next) open(keyOf(next));
    },
  };
}

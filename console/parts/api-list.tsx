// A list of the API: what is shown while it is read, when that fails, when it is empty, and how to see more of it.
import type { UseInfiniteQueryResult, UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Skeleton } from "./placeholder.tsx";
import { Problem } from "./problem.tsx";

/** What is read: page by page, or all at once. */
export type ListState = Pick<UseQueryResult, "isPending" | "error"> & {
  refetch(): unknown;
} & Partial<Pick<UseInfiniteQueryResult, "hasNextPage" | "isFetchingNextPage" | "fetchNextPage">>;

interface Props {
  readonly list: ListState;
  readonly isEmpty: boolean;
  /** Says why there is nothing, and what to do. */
  readonly empty: ReactNode;
  readonly children: ReactNode;
}

export function ListProblem({ list }: { readonly list: ListState }): ReactNode {
  return list.error && <Problem error={list.error} retry={() => void list.refetch()} />;
}

export function ShowMore({ list }: { readonly list: ListState }): ReactNode {
  return (
    list.hasNextPage && (
      <Button kind="plain" busy={list.isFetchingNextPage ?? false} onClick={() => void list.fetchNextPage?.()}>
        Show more
      </Button>
    )
  );
}

export function ApiList({ list, isEmpty, empty, children }: Props): ReactNode {
  if (list.isPending) return <Skeleton />;
  return (
    <>
      <ListProblem list={list} />
      {isEmpty ? !list.error && empty : children}
      <ShowMore list={list} />
    </>
  );
}

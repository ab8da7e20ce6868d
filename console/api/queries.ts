// What pages read and change, kept fresh: a change makes what it may have touched be read again.
import { useState } from "react";
import { QueryClient, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { isRefusal, call, fetchApi } from "./call.ts";
import type { EndpointKey, Input, Output } from "./endpoints.ts";

/** Refusals stay what they are; only a server that cannot be reached, or has too much to do, is asked again. */
function shouldRetry(failures: number, error: Error): boolean {
  return failures < 3 && !(isRefusal(error) && error.status < 500);
}

/** A server that is gone is said to be after two seconds. */
const RETRY_MS = 300;

/** A browser that takes itself for offline may reach the server, and a change that fails is not carried out later by itself. */
const networkMode = "always";

/** What was read so long ago is shown without reading it again, ms. */
export const FRESH_MS = 5_000;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode,
        retry: shouldRetry,
        retryDelay: (failures) => RETRY_MS * 2 ** failures,
        staleTime: FRESH_MS,
      },
      mutations: { networkMode, retry: false },
    },
  });
}

/** One result of the API, with its `ETag`. */
export function useApi<K extends EndpointKey>(
  endpoint: K,
  input: Input<K>,
  {
    enabled = true,
    every,
    fresh,
  }: {
    readonly enabled?: boolean;
    /** Read again so often, ms. */
    readonly every?: number;
    /** What is younger, ms, is shown without reading it again. */
    readonly fresh?: number;
  } = {},
) {
  return useQuery({
    queryKey: [endpoint, input],
    queryFn: ({ signal }) => fetchApi(endpoint, input, signal),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(fresh === undefined ? {} : { staleTime: fresh }),
  });
}

/** One result for a form, which is about what it showed first: none until it is read anew, where it may have changed. */
export function useNewest<K extends EndpointKey>(endpoint: K, input: Input<K>) {
  const { data, error, isFetching, refetch } = useApi(endpoint, input);
  const [isNew, setNew] = useState(false);
  if (!isNew && data && !error && !isFetching) setNew(true);
  return { data: isNew ? data : undefined, error, refetch };
}

interface Paged {
  readonly pagination: { readonly next: number | null };
  /** Leads on in a list that is sorted by something else than its age. */
  readonly cursor?: string;
}

/** Where a page begins: after a place of a sorted list, or before a time. */
const FIRST_PAGE: { readonly cursor?: string; readonly until?: number } = {};

/** A list of the API, page by page: `fetchNextPage` reads what follows. */
export function useApiPages<K extends EndpointKey>(endpoint: K, input: Input<K> & { readonly query?: object }) {
  return useInfiniteQuery({
    queryKey: [endpoint, input, "pages"],
    queryFn: ({ signal, pageParam }) => call(endpoint, { ...input, query: { ...input.query, ...pageParam } }, signal),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last: Output<K>) => {
      const { cursor, pagination } = last as Paged;
      if (cursor !== undefined) return { cursor };
      return pagination.next === null ? null : { until: pagination.next };
    },
  });
}

interface Sequenced {
  readonly sequence: number;
}

/** A list whose pages begin below the sequence of the last item of the page before. */
function useSequence<Page>(
  key: readonly unknown[],
  read: (before: { readonly before?: number }, signal: AbortSignal) => Promise<Page>,
  itemsOf: (page: Page) => readonly Sequenced[],
  limit: number,
  enabled: boolean,
) {
  return useInfiniteQuery({
    enabled,
    queryKey: key,
    queryFn: ({ signal, pageParam }) => read(pageParam === null ? {} : { before: pageParam }, signal),
    initialPageParam: null as number | null,
    getNextPageParam(page) {
      const items = itemsOf(page);
      return items.length < limit ? null : (items.at(-1)?.sequence ?? null);
    },
  });
}

const LIMIT = 50;

/** Events, newest first, page by page. */
export function useEvents(query: NonNullable<Input<"GET /v3/events">["query"]>, enabled = true) {
  return useSequence(
    ["GET /v3/events", query],
    (page, signal) => call("GET /v3/events", { query: { limit: LIMIT, ...query, ...page } }, signal),
    ({ events }) => events,
    LIMIT,
    enabled,
  );
}

const DELIVERIES = "GET /v1/webhook-deliveries";

/** Deliveries to the webhooks of a team, newest first, page by page. */
export function useDeliveries(query: NonNullable<Input<typeof DELIVERIES>["query"]>) {
  return useInfiniteQuery({
    queryKey: [DELIVERIES, query],
    queryFn: ({ signal, pageParam }) =>
      call(
        DELIVERIES,
        { query: { limit: LIMIT, ...query, ...(pageParam === null ? {} : { before: pageParam }) } },
        signal,
      ),
    initialPageParam: null as number | null,
    getNextPageParam: ({ pagination }) => pagination.next,
  });
}

/**
 * A change by the API. Everything that is shown is read again afterwards: one change can touch several lists. `onDone` comes before,
 * because the page that made the change may be gone by then: what it showed may be deleted.
 */
export function useChange<K extends EndpointKey>(endpoint: K, onDone?: (result: Output<K>) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (input: Input<K>) => call(endpoint, input),
    ...(onDone ? { onSuccess: onDone } : {}),
    // Nobody waits for it: the change is done, or refused, before.
    onSettled: () => void client.invalidateQueries(),
  });
}

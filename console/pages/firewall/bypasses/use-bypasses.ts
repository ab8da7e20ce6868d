// The bypass list of a project, page by page.
import { useInfiniteQuery } from "@tanstack/react-query";
import { call } from "../../../api/call.ts";
import type { Input, Output } from "../../../api/endpoints.ts";

const LIST = "GET /v1/security/firewall/bypass";
const LIMIT = 50;

export type Bypass = Output<typeof LIST>["result"][number];

export function useBypasses(query: NonNullable<Input<typeof LIST>["query"]>) {
  return useInfiniteQuery({
    queryKey: [LIST, query],
    queryFn: ({ signal, pageParam }) =>
      call(LIST, { query: { limit: LIMIT, ...query, ...(pageParam !== null && { offset: pageParam }) } }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.pagination?.Id ?? null,
  });
}

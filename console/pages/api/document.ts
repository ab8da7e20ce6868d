// Reads the API's document from the server: it describes the very server that is asked.
import { useQuery } from "@tanstack/react-query";
import { errorOf } from "../../../src/client/error.ts";
import { client } from "../../api/call.ts";
import type { Resolve } from "../../../src/serve/reference/schema-words.ts";
import { operationsOf, resolverOf } from "./operations.ts";
import type { ApiDocument, Operation } from "./operations.ts";

/** What the document describes. */
export interface Reference {
  readonly resolve: Resolve;
  readonly tags: ApiDocument["tags"];
  readonly operations: readonly Operation[];
}

async function fetchReference(signal: AbortSignal): Promise<Reference> {
  const response = await client.request("GET", "/openapi.json", { signal });
  if (!response.ok) throw await errorOf(response);
  const document = (await response.json()) as ApiDocument;
  return { resolve: resolverOf(document), tags: document.tags, operations: operationsOf(document) };
}

/** It changes with the server's version only. */
export function useReference() {
  return useQuery({
    queryKey: ["openapi.json"],
    queryFn: ({ signal }) => fetchReference(signal),
    staleTime: Infinity,
  });
}

// Reads the API's document from the server: it describes the very server that is asked.
import { useQuery } from "@tanstack/react-query";
import { API, Unreachable, refusalOf } from "../../api/call.ts";
import { operationsOf } from "./operations.ts";
import type { ApiDocument, Operation } from "./operations.ts";

/** The document with its operations. */
export interface Reference {
  readonly document: ApiDocument;
  readonly operations: readonly Operation[];
}

async function fetchReference(signal: AbortSignal): Promise<Reference> {
  const response = await fetch(new URL("openapi.json", API), { signal }).catch((error: unknown) => {
    throw signal.aborted ? error : new Unreachable("The server cannot be reached", { cause: error });
  });
  if (!response.ok) throw await refusalOf(response);
  const document = (await response.json()) as ApiDocument;
  return { document, operations: operationsOf(document) };
}

/** It changes with the server's version only. */
export function useReference() {
  return useQuery({
    queryKey: ["openapi.json"],
    queryFn: ({ signal }) => fetchReference(signal),
    staleTime: Infinity,
  });
}

// Values of secrets on the screen: asked for one by one, each time recorded, never kept, and hidden again by themselves.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { CopyButton, Copyable } from "./copy.tsx";

export const HIDES_ITSELF = "It is hidden again after a minute.";
/** How long a value stays on the screen. */
const SHOWN_MS = 60_000;

/** Not a query: what was read is forgotten after a minute. */
export function useReveal<T>(read: () => Promise<T>) {
  const client = useQueryClient();
  const { data, error, isPending, mutate, reset } = useMutation({
    mutationFn: read,
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: ["GET /v3/events"] }),
  });
  useEffect(() => {
    if (data === undefined) return;
    const timer = setTimeout(reset, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [data, reset]);
  return { data, error, isPending, reveal: () => mutate(), hide: reset };
}

export function ShownValue({ value, onHide }: { readonly value: string; readonly onHide: () => void }): ReactNode {
  const isLong = value.includes("\n");
  return (
    <>
      {isLong && <div className="value">{value}</div>}
      <div className="tools">
        {isLong ? <CopyButton text={value} /> : <Copyable text={value} label="Value" />}
        <Button kind="plain" onClick={onHide}>
          Hide
        </Button>
      </div>
    </>
  );
}

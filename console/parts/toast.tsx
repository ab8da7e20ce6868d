// Says that something was done, and how to undo it. What went wrong stays in the page instead.
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import type { Said } from "./headless/toasts.tsx";
import { lazy } from "./lazy-page.tsx";

const Toasts = lazy(async () => (await import("./headless/headless.tsx")).HEADLESS.Toasts, null);

let say: (said: Said) => void = () => undefined;

export function toast(text: string): void {
  say({ text });
}

/** Says it with a way back. */
export function useUndoable() {
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: (undo: () => Promise<unknown>) => undo(),
    onError: (error) => toast(`It could not be undone. ${error.message}`),
    onSettled: () => void client.invalidateQueries(),
  });
  return (text: string, undo: () => Promise<unknown>): void => say({ text, undo: () => mutate(undo) });
}

/** Where they are shown: once, beside all pages. */
export function ToastPlace(): ReactNode {
  const [said, setSaid] = useState<readonly Said[]>([]);
  useEffect(() => {
    say = (next) => setSaid((old) => [...old, next]);
  }, []);
  return said.length > 0 && <Toasts said={said} />;
}

// The present values of a team's secrets, revealed to be edited as one text. Each look is recorded, and nothing is kept.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { formatEnvText } from "./env-text.ts";

/** As many as one change may store. */
const MOST = 100;
const AT_ONCE = 5;

export interface PresentValues {
  /** By name; empty until they were loaded. */
  readonly values: ReadonlyMap<string, string>;
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly load: () => void;
  readonly forget: () => void;
}

/** Calls for each item, a few at a time. */
export async function forEachAtOnce<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const work = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

export function usePresentValues(show: (text: string) => void): PresentValues {
  const teamId = useTeamId();
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const reveal = useMutation({
    gcTime: 0,
    async mutationFn() {
      const { secrets } = await call("GET /v2/secrets", { query: { teamId, limit: MOST } });
      const found = new Map<string, string>();
      const readable = secrets.filter(({ decryptable }) => decryptable);
      await forEachAtOnce(readable, async ({ uid, name }) => {
        const { value, encoding } = await call("GET /v3/secrets/:name", {
          params: { name: uid },
          query: { teamId, decrypt: true },
        });
        if (value !== undefined && encoding !== "base64") found.set(name, value);
      });
      return found;
    },
    onSuccess(found) {
      setValues(found);
      const entries = [...found].map(([name, value]) => ({ name, value }));
      show(formatEnvText(entries.toSorted((one, other) => one.name.localeCompare(other.name))));
    },
  });
  return {
    values,
    error: reveal.error,
    isLoading: reveal.isPending,
    load: () => reveal.mutate(),
    forget() {
      setValues(new Map());
      reveal.reset();
    },
  };
}

// The present values of a team's secrets, revealed to be edited as one text. Each look is recorded, and nothing is kept.
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { isRefusal, call } from "../../api/call.ts";
import { useTeamId } from "../../api/team.ts";
import { formatEnvText } from "../../parts/env-text.ts";

/** As many as one change may store. */
const MOST = 100;
const AT_ONCE = 5;

export interface PresentValue {
  readonly value: string;
  readonly version: number;
}

export interface PresentValues {
  /** By name; empty until they were loaded. */
  readonly values: ReadonlyMap<string, PresentValue>;
  /** How many of those that were asked for are not among them: they are sealed, have ended, or are no text. */
  readonly leftOut: number;
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

/** Null: the secret has ended. */
async function revealUnlessEnded(uid: string, teamId: string) {
  const query = { teamId, decrypt: true };
  return await call("GET /v3/secrets/:name", { params: { name: uid }, query }).catch((error: unknown) => {
    if (isRefusal(error) && error.code === "secret_expired") return null;
    throw error;
  });
}

export function usePresentValues(show: (text: string) => void): PresentValues {
  const teamId = useTeamId();
  const [values, setValues] = useState<ReadonlyMap<string, PresentValue>>(new Map());
  const [leftOut, setLeftOut] = useState(0);
  const reveal = useMutation({
    gcTime: 0,
    async mutationFn() {
      const { secrets } = await call("GET /v2/secrets", { query: { teamId, limit: MOST } });
      const found = new Map<string, PresentValue>();
      const readable = secrets.filter(({ decryptable }) => decryptable);
      await forEachAtOnce(readable, async ({ uid, name }) => {
        const secret = await revealUnlessEnded(uid, teamId);
        if (secret?.value === undefined || secret.encoding === "base64") return;
        found.set(name, { value: secret.value, version: secret.version });
      });
      return { found, leftOut: secrets.length - found.size };
    },
    onSuccess({ found, leftOut: count }) {
      setValues(found);
      setLeftOut(count);
      const entries = [...found].map(([name, { value }]) => ({ name, value }));
      show(formatEnvText(entries.toSorted((one, other) => one.name.localeCompare(other.name))));
    },
  });
  return {
    values,
    leftOut,
    error: reveal.error,
    isLoading: reveal.isPending,
    load: () => reveal.mutate(),
    forget() {
      setValues(new Map());
      setLeftOut(0);
      reveal.reset();
    },
  };
}

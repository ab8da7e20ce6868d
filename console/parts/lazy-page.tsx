// A page whose code is loaded when it is needed. It may begin before the page is shown. React's own `lazy` would show what was loaded
// 300 ms after its placeholder at the earliest.
import { useEffect, useState } from "react";
import type { ComponentType, ReactNode } from "react";
import { TEXTS } from "../texts.ts";
import { Skeleton } from "./placeholder.tsx";

interface Loaded {
  readonly default: ComponentType;
}

export interface LazyPage {
  (): ReactNode;
  /** Begins to load the code. */
  preload(): void;
}

/** The code of a page does not come: the server is gone, or a newer one has other files. Browsers do not ask for it again. */
export class CodeMissing extends Error {
  override readonly name = "CodeMissing";
}

export function lazy(load: () => Promise<Loaded>): LazyPage {
  let loading: Promise<Loaded> | null = null;
  let loaded: Loaded | null = null;
  const start = async (): Promise<Loaded> => {
    try {
      loaded = await (loading ??= load());
      return loaded;
    } catch (error) {
      throw new CodeMissing(TEXTS.problem.noCode, { cause: error });
    }
  };
  function Lazy(): ReactNode {
    const [shown, setShown] = useState(loaded);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
      if (shown === null) start().then(setShown, (reason: Error) => setError(reason));
    }, [shown]);
    if (error) throw error;
    return shown === null ? <Skeleton /> : <shown.default />;
  }
  // Whoever shows the page says why it failed.
  return Object.assign(Lazy, { preload: () => void start().catch(() => undefined) });
}

// A page whose code is loaded when it is needed. It may begin before the page is shown. React's own `lazy` would show what was loaded
// 300 ms after its placeholder at the earliest.
import { useEffect, useState } from "react";
import type { ComponentType, ReactNode } from "react";
import { Skeleton } from "./placeholder.tsx";

export interface LazyPage {
  (): ReactNode;
  /** Begins to load the code. */
  preload(): void;
}

/** The code of a page does not come: the server is gone, or a newer one has other files. Browsers do not ask for it again. */
export class CodeMissing extends Error {
  override readonly name = "CodeMissing";
}

export function lazy(load: () => Promise<ComponentType>): LazyPage {
  let loading: Promise<ComponentType> | null = null;
  let loaded: ComponentType | null = null;
  const start = async (): Promise<ComponentType> => {
    try {
      loaded = await (loading ??= load());
      return loaded;
    } catch (error) {
      throw new CodeMissing(
        "The code of this page does not come. The server may be gone, or newer than what this tab shows.",
        { cause: error },
      );
    }
  };
  function Lazy(): ReactNode {
    // In functions, because React calls a function that it gets as a state.
    const [Shown, setShown] = useState(() => loaded);
    const [error, setError] = useState<Error | null>(null);
    useEffect(() => {
      if (Shown === null)
        start().then(
          (page) => setShown(() => page),
          (reason: Error) => setError(reason),
        );
    }, [Shown]);
    if (error) throw error;
    return Shown === null ? <Skeleton /> : <Shown />;
  }
  // Whoever shows the page says why it failed.
  return Object.assign(Lazy, { preload: () => void start().catch(() => undefined) });
}

// A page or a part whose code is loaded when it is needed. It may begin before that is shown. React's own `lazy` would show what was
// loaded 300 ms after its placeholder at the earliest.
import { useEffect, useState } from "react";
import type { ComponentType, ReactNode } from "react";
import { Skeleton } from "./placeholder.tsx";

export interface Lazy<P extends object> {
  (props: P): ReactNode;
  /** Begins to load the code. */
  preload(): void;
}

export type LazyPage = Lazy<object>;

/** The code of a page does not come: the server is gone, or a newer one has other files. Browsers do not ask for it again. */
export class CodeMissing extends Error {
  override readonly name = "CodeMissing";
}

export function lazy<P extends object>(
  load: () => Promise<ComponentType<P>>,
  placeholder: ReactNode = <Skeleton />,
): Lazy<P> {
  let loading: Promise<ComponentType<P>> | null = null;
  let loaded: ComponentType<P> | null = null;
  const start = async (): Promise<ComponentType<P>> => {
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
  function Late(props: P): ReactNode {
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
    return Shown === null ? placeholder : <Shown {...props} />;
  }
  // The parent that shows the page says why it failed.
  return Object.assign(Late, { preload: () => void start().catch(() => undefined) });
}

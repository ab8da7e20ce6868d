// A value in the page's query: it survives reload and back, and can be handed on as a link.
import { useSearchParams } from "wouter";

export function useSearchValue(name: string): readonly [string, (value: string) => void] {
  const [params, setParams] = useSearchParams();
  const set = (value: string): void =>
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        if (value === "") next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  return [params.get(name) ?? "", set];
}

/** Of filters those that are chosen: an empty one stands for all, which a call says by leaving it out. */
export function chosen<F extends Readonly<Record<string, string>>>(filters: F): Partial<F> {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== "")) as Partial<F>;
}

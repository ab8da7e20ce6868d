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

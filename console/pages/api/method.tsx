// The method of an operation.
import type { ReactNode } from "react";

export function Method({ method }: { readonly method: string }): ReactNode {
  return <span className={`method ${method.toLowerCase()}`}>{method}</span>;
}

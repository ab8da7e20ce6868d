// The mark of Reeve.
import type { ReactNode } from "react";

export function Mark(): ReactNode {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect className="mark-ground" width="24" height="24" rx="6.5" />
      <path className="mark-line" d="M7.5 18V10a4.5 4.5 0 0 1 9 0c0 2.4-1.6 3.9-4.2 4.2L16.8 18" />
    </svg>
  );
}

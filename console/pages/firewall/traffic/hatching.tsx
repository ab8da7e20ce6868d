// The pattern that plots of decisions fill with what was denied.
import type { ReactNode } from "react";
import "../../../style/plot.css";

/** Colour does not speak alone: what was denied is hatched. */
export function Hatching(): ReactNode {
  return (
    <svg className="hidden">
      <pattern id="hatch" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <rect className="hatch-ground" width="5" height="5" />
        <path className="hatch-line" d="M0 0V5" />
      </pattern>
    </svg>
  );
}

// The name of a row of a list: its picture, what differs beside the name, and below it what is read as often.
import type { ReactNode } from "react";

interface Props {
  readonly picture?: ReactNode;
  readonly below?: ReactNode;
  readonly children: ReactNode;
}

export function RowName({ picture, below, children }: Props): ReactNode {
  return (
    <span className="name">
      {picture}
      <span className="lines">
        <span className="name">{children}</span>
        {below && <span className="below">{below}</span>}
      </span>
    </span>
  );
}

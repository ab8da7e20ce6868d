// Why a configuration decided nothing: the server has none by that name, or refuses the request.
import type { ReactNode } from "react";
import { isRefusal } from "../../../api/call.ts";
import { Empty } from "../../../parts/placeholder.tsx";
import { Problem } from "../../../parts/problem.tsx";

export function Refused({ error }: { readonly error: Error }): ReactNode {
  if (isRefusal(error) && error.status === 404) {
    return (
      <Empty
        title="There is no such configuration"
        hint="The project may have no rules yet, or no draft. Create a rule first, or choose another configuration."
      />
    );
  }
  return <Problem error={error} />;
}

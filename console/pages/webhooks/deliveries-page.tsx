// The deliveries to all webhooks of a team.
import type { ReactNode } from "react";
import { useMay } from "../../api/team.ts";
import { TEXTS } from "../../texts.ts";
import { Deliveries } from "./deliveries.tsx";

export function DeliveriesPage(): ReactNode {
  const why = useMay("webhook:write") === false ? TEXTS.webhooks.mayNotWrite : null;
  return (
    <>
      <p>{TEXTS.deliveries.about}</p>
      <Deliveries why={why} />
    </>
  );
}

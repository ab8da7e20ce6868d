// The deliveries to all webhooks of a team.
import type { ReactNode } from "react";
import { useWhyNot } from "../../parts/why-not.ts";
import { Deliveries } from "./deliveries.tsx";

export function DeliveriesPage(): ReactNode {
  const why = useWhyNot("webhook:write");
  return <Deliveries why={why} />;
}

// Links between the pages of the instance.
import type { ReactNode } from "react";
import { Tabs } from "../../parts/tabs.tsx";
import { ROUTES } from "../../routes.ts";

/** Stands above each of them. */
export function InstanceNav(): ReactNode {
  const tabs = ROUTES.filter(({ isForAdministrators }) => isForAdministrators);
  return <Tabs label="Pages of the instance" tabs={tabs.map(({ path, title }) => ({ href: path, title }))} />;
}

// Links between the pages of one's own account.
import type { ReactNode } from "react";
import { ADDRESSES } from "../../addresses.ts";
import { Tabs } from "../../parts/tabs.tsx";
import { ROUTES } from "../../routes.ts";

const OF_YOU: readonly string[] = [ADDRESSES.profile, ADDRESSES.signInMethods, ADDRESSES.sessions, ADDRESSES.tokens];

/** Stands above each of them. */
export function YouNav(): ReactNode {
  const tabs = OF_YOU.map((href) => ({ href, title: ROUTES.find(({ path }) => path === href)?.title ?? "" }));
  return <Tabs label="Pages of your account" tabs={tabs} />;
}

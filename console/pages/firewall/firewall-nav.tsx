// Links between the pages of the firewall, and the project that they are about.
import type { ReactNode } from "react";
import { ADDRESSES } from "../../addresses.ts";
import { useTeamId } from "../../api/team.ts";
import { ProjectPicker, projectHref, useProject } from "../../parts/project.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { ROUTES } from "../../routes.ts";
import "../../style/firewall.css";

const OF_FIREWALL = /^\/teams\/:team\/firewall(\/[a-z-]+)?$/;

/** The draft leads to the page that publishes it. */
const TABS = ROUTES.filter(({ path }) => OF_FIREWALL.test(path) && path !== ADDRESSES.firewallPublish);

/** Stands above every page of the firewall. */
export function FirewallNav(): ReactNode {
  const teamId = useTeamId();
  const [project] = useProject();
  return (
    <div className="firewall-nav">
      <Tabs
        label="Pages of the firewall"
        tabs={TABS.map(({ path, title }) => ({
          title: path === ADDRESSES.firewall ? "Rules" : title,
          href: projectHref(path, teamId, project),
        }))}
      />
      <ProjectPicker />
    </div>
  );
}

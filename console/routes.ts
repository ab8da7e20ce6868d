// Every page of the console as data: its address, its names, what it belongs to and who sees it. Its code is in page-code.ts, which
// nothing below this file imports: so pages link to each other by this table.
import type { Permission } from "../src/platform/kernel/roles.ts";
import { ADDRESSES } from "./addresses.ts";

export type PageName = keyof typeof ADDRESSES;

/** A heading in the navigation of a team; pages without one come first. */
export type NavGroup = "Configuration" | "Firewall" | "Activity" | "Team";

interface Page {
  /** As the navigation and the breadcrumbs name it. The page of one thing shows the thing's name instead. */
  readonly title: string;
  /** The page from which it is reached: the current one of the navigation. */
  readonly parent?: PageName;
  /** Its name among the tabs of its parent, or of its own where it is the first of them. */
  readonly tab?: string;
  readonly group?: NavGroup;
  /** Of the instance: to others than its administrators there is no such page. */
  readonly isForAdministrators?: true;
  /** What the user's role must allow; by default every member sees the page. */
  readonly needs?: Permission;
}

export interface Route extends Page {
  readonly name: PageName;
  /** Below /console. */
  readonly path: string;
  /** Listed beside the pages of a team. */
  readonly isTeamPage: boolean;
}

const FIREWALL = { group: "Firewall", needs: "firewall:read" } as const;
const RULES = { parent: "firewall", needs: "firewall:read" } as const;
const ENVIRONMENTS = { parent: "environments", needs: "environment:read" } as const;

/** In the order of the navigation. */
const PAGES: Readonly<Record<PageName, Page>> = {
  home: { title: "Teams" },
  team: { title: "Home" },
  projects: { title: "Projects", needs: "firewall:read" },
  project: { title: "Project", parent: "projects", needs: "firewall:read" },
  secrets: { title: "Secrets", group: "Configuration", needs: "secret:read" },
  secret: { title: "Secret", parent: "secrets", needs: "secret:read" },
  secretsText: { title: "Edit as .env", parent: "secrets", needs: "secret:read" },
  environments: { title: "Environments", group: "Configuration", needs: "environment:read" },
  environment: { title: "Environment", ...ENVIRONMENTS },
  environmentKey: { title: "One key in all environments", ...ENVIRONMENTS },
  firewallTraffic: { title: "Traffic", ...FIREWALL },
  firewall: { title: "Rules", tab: "Rules", ...FIREWALL },
  firewallAddresses: { title: "Addresses", tab: "Addresses", ...RULES },
  firewallManaged: { title: "Managed sets", tab: "Managed sets", ...RULES },
  firewallVersions: { title: "Versions", tab: "Versions", ...RULES },
  firewallFile: { title: "Edit as JSON", ...RULES },
  firewallRule: { title: "Rule", ...RULES },
  firewallPublish: { title: "Review changes", ...RULES },
  firewallDecisions: { title: "Decisions", ...FIREWALL },
  firewallDecision: { title: "Decision", parent: "firewallDecisions", needs: "firewall:read" },
  firewallAttackMode: { title: "Attack mode", tab: "Mode", ...FIREWALL },
  firewallBypasses: { title: "Bypasses", tab: "Bypasses", parent: "firewallAttackMode", needs: "firewall:read" },
  firewallTry: { title: "Testing", tab: "Try a request", ...FIREWALL },
  firewallTests: { title: "Saved tests", tab: "Saved tests", parent: "firewallTry", needs: "firewall:read" },
  events: { title: "Events", tab: "Events", group: "Activity", needs: "event:read" },
  checkpoints: { title: "Checkpoints", tab: "Checkpoints", parent: "events", needs: "event:read" },
  webhooks: { title: "Webhooks", tab: "Webhooks", group: "Activity", needs: "webhook:read" },
  webhook: { title: "Webhook", parent: "webhooks", needs: "webhook:read" },
  deliveries: { title: "Deliveries", tab: "Deliveries", parent: "webhooks", needs: "webhook:read" },
  members: { title: "Members", group: "Team" },
  keys: { title: "API keys", group: "Team", needs: "api-key:read" },
  trustRules: { title: "Trust rules", group: "Team", needs: "api-key:read" },
  trustRule: { title: "Trust rule", parent: "trustRules", needs: "api-key:read" },
  settings: { title: "Settings", group: "Team" },
  profile: { title: "Account", tab: "Profile" },
  signInMethods: { title: "Sign-in", tab: "Sign-in", parent: "profile" },
  tokens: { title: "Access tokens", tab: "Access tokens", parent: "profile" },
  instance: { title: "Instance", tab: "Health", isForAdministrators: true },
  instanceSettings: {
    title: "Settings in force",
    tab: "Settings in force",
    parent: "instance",
    isForAdministrators: true,
  },
  accounts: { title: "Accounts", tab: "Accounts", parent: "instance", isForAdministrators: true },
  api: { title: "API reference" },
  operation: { title: "API reference", parent: "api" },
};

export const ROUTES: readonly Route[] = (Object.keys(PAGES) as PageName[]).map((name) => ({
  name,
  path: ADDRESSES[name],
  isTeamPage: ADDRESSES[name].startsWith(ADDRESSES.team),
  ...PAGES[name],
}));

export const routeOf = (name: PageName): Route => ROUTES.find((route) => route.name === name) as Route;

/** The page of the navigation that a page belongs to. */
export const sectionOf = (route: Route): Route => (route.parent ? routeOf(route.parent) : route);

/** What its pages show depends on the project that is chosen. */
export const isOfProject = ({ name, group }: Route): boolean => group === "Firewall" || name === "environments";

/** The tabs of a page: none where it is not one of them. */
export function tabsOf(route: Route): readonly Route[] {
  const section = sectionOf(route).name;
  return route.tab === undefined
    ? []
    : ROUTES.filter(({ name, parent, tab }) => tab !== undefined && (name === section || parent === section));
}

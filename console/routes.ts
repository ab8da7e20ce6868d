// Every page of the console as data: its address, its name and who sees it. Its code is in page-code.ts, which nothing below this file
// imports: so pages link to each other by this table.
import type { Permission } from "../src/platform/kernel/roles.ts";
import { ADDRESSES } from "./addresses.ts";

export type PageName = keyof typeof ADDRESSES;

interface Page {
  readonly title: string;
  /** Of one thing: reached from a list, not from the navigation. */
  readonly isDetail?: true;
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

/** In the order of the navigation. */
const PAGES: Readonly<Record<PageName, Page>> = {
  home: { title: "Teams" },
  team: { title: "Home" },
  members: { title: "Members" },
  secrets: { title: "Secrets", needs: "secret:read" },
  secret: { title: "Secret", isDetail: true, needs: "secret:read" },
  secretsText: { title: "Secrets as one text", isDetail: true, needs: "secret:read" },
  environments: { title: "Environments", needs: "environment:read" },
  environment: { title: "Environment", isDetail: true, needs: "environment:read" },
  environmentKey: { title: "One key in all environments", isDetail: true, needs: "environment:read" },
  firewall: { title: "Firewall", needs: "firewall:read" },
  firewallRule: { title: "Rule", isDetail: true, needs: "firewall:read" },
  firewallPublish: { title: "Publish the draft", isDetail: true, needs: "firewall:read" },
  firewallAddresses: { title: "Addresses", isDetail: true, needs: "firewall:read" },
  firewallManaged: { title: "Managed sets", isDetail: true, needs: "firewall:read" },
  firewallVersions: { title: "Versions", isDetail: true, needs: "firewall:read" },
  firewallFile: { title: "As a file", isDetail: true, needs: "firewall:read" },
  firewallTry: { title: "Try a request", isDetail: true, needs: "firewall:read" },
  firewallTests: { title: "Tests", isDetail: true, needs: "firewall:read" },
  firewallTraffic: { title: "Traffic", isDetail: true, needs: "firewall:read" },
  firewallDecisions: { title: "Decisions", isDetail: true, needs: "firewall:read" },
  firewallDecision: { title: "Decision", isDetail: true, needs: "firewall:read" },
  firewallAttackMode: { title: "Attack mode", isDetail: true, needs: "firewall:read" },
  firewallBypasses: { title: "Bypasses", isDetail: true, needs: "firewall:read" },
  events: { title: "Events", needs: "event:read" },
  checkpoints: { title: "Checkpoints", isDetail: true, needs: "event:read" },
  webhooks: { title: "Webhooks", needs: "webhook:read" },
  webhook: { title: "Webhook", isDetail: true, needs: "webhook:read" },
  deliveries: { title: "Deliveries", isDetail: true, needs: "webhook:read" },
  keys: { title: "API keys", needs: "api-key:read" },
  trustRules: { title: "Trust rules", needs: "api-key:read" },
  settings: { title: "Settings" },
  api: { title: "API reference" },
  operation: { title: "API reference", isDetail: true },
  tokens: { title: "Access tokens" },
  profile: { title: "Your account" },
  signInMethods: { title: "Ways to sign in" },
  sessions: { title: "Sessions" },
  instance: { title: "Instance", isForAdministrators: true },
  accounts: { title: "Accounts", isForAdministrators: true },
  instanceSettings: { title: "Settings in force", isForAdministrators: true },
};

export const ROUTES: readonly Route[] = (Object.keys(PAGES) as PageName[]).map((name) => ({
  name,
  path: ADDRESSES[name],
  isTeamPage: ADDRESSES[name].startsWith(ADDRESSES.team),
  ...PAGES[name],
}));

// Every page of the console as data: its address, its name and who sees it. Its code is in page-code.ts, which nothing below this file
// imports: so pages link to each other by this table.
import type { Permission } from "../src/kernel/roles.ts";
import { ADDRESSES } from "./addresses.ts";
import { TEXTS } from "./texts.ts";

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
  home: { title: TEXTS.home.title },
  team: { title: TEXTS.team.title },
  members: { title: TEXTS.members.title },
  secrets: { title: TEXTS.secrets.title, needs: "secret:read" },
  secret: { title: TEXTS.secret.title, isDetail: true, needs: "secret:read" },
  secretsText: { title: TEXTS.secretsText.title, isDetail: true, needs: "secret:read" },
  environments: { title: TEXTS.environments.title, needs: "environment:read" },
  environment: { title: TEXTS.environments.one, isDetail: true, needs: "environment:read" },
  environmentKey: { title: TEXTS.environments.ofKey, isDetail: true, needs: "environment:read" },
  firewall: { title: TEXTS.firewallRules.title, needs: "firewall:read" },
  firewallRule: { title: TEXTS.rule.title, isDetail: true, needs: "firewall:read" },
  firewallPublish: { title: TEXTS.firewallPublish.title, isDetail: true, needs: "firewall:read" },
  firewallAddresses: { title: TEXTS.firewallAddresses.title, isDetail: true, needs: "firewall:read" },
  firewallManaged: { title: TEXTS.firewallManaged.title, isDetail: true, needs: "firewall:read" },
  firewallVersions: { title: TEXTS.firewallVersions.title, isDetail: true, needs: "firewall:read" },
  firewallFile: { title: TEXTS.firewallFile.title, isDetail: true, needs: "firewall:read" },
  firewallTry: { title: TEXTS.firewallTry.title, isDetail: true, needs: "firewall:read" },
  firewallTests: { title: TEXTS.firewallTests.title, isDetail: true, needs: "firewall:read" },
  firewallTraffic: { title: TEXTS.firewallTraffic.title, isDetail: true, needs: "firewall:read" },
  firewallDecisions: { title: TEXTS.gateDecisions.title, isDetail: true, needs: "firewall:read" },
  firewallDecision: { title: TEXTS.gateDecisions.one, isDetail: true, needs: "firewall:read" },
  firewallAttackMode: { title: TEXTS.attackMode.title, isDetail: true, needs: "firewall:read" },
  firewallBypasses: { title: TEXTS.bypasses.title, isDetail: true, needs: "firewall:read" },
  events: { title: TEXTS.events.title, needs: "event:read" },
  checkpoints: { title: TEXTS.checkpoints.title, isDetail: true, needs: "event:read" },
  webhooks: { title: TEXTS.webhooks.title, needs: "webhook:read" },
  webhook: { title: TEXTS.webhooks.one, isDetail: true, needs: "webhook:read" },
  deliveries: { title: TEXTS.deliveries.title, isDetail: true, needs: "webhook:read" },
  keys: { title: TEXTS.keys.title, needs: "api-key:read" },
  trustRules: { title: TEXTS.trustRules.title, needs: "api-key:read" },
  settings: { title: TEXTS.settings.title },
  api: { title: TEXTS.api.title },
  operation: { title: TEXTS.api.title, isDetail: true },
  tokens: { title: TEXTS.tokens.title },
  profile: { title: TEXTS.profile.title },
  signInMethods: { title: TEXTS.signInMethods.title },
  sessions: { title: TEXTS.sessions.title },
  instance: { title: TEXTS.instance.title, isForAdministrators: true },
  accounts: { title: TEXTS.accounts.title, isForAdministrators: true },
  instanceSettings: { title: TEXTS.instanceSettings.title, isForAdministrators: true },
};

export const ROUTES: readonly Route[] = (Object.keys(PAGES) as PageName[]).map((name) => ({
  name,
  path: ADDRESSES[name],
  isTeamPage: ADDRESSES[name].startsWith(ADDRESSES.team),
  ...PAGES[name],
}));

// Every page of the console as data: its address, its name and the code that is loaded for it.
import type { Permission } from "../src/kernel/roles.ts";
import { ADDRESSES } from "./addresses.ts";
import { lazy } from "./parts/lazy-page.tsx";
import type { LazyPage } from "./parts/lazy-page.tsx";
import { TEXTS } from "./texts.ts";

export interface Route {
  /** Below /console. */
  readonly path: string;
  readonly title: string;
  /** Listed beside the pages of a team. */
  readonly isTeamPage: boolean;
  /** Of one thing: reached from a list, not from the navigation. */
  readonly isDetail?: boolean;
  /** Of the instance: to others than its administrators there is no such page. */
  readonly isForAdministrators?: true;
  /** What the user's role must allow; by default every member sees the page. */
  readonly needs?: Permission;
  readonly page: LazyPage;
}

const HomePage = lazy(async () => ({ default: (await import("./pages/teams/home-page.tsx")).HomePage }));
const TeamPage = lazy(async () => ({ default: (await import("./pages/teams/team-page.tsx")).TeamPage }));
const MembersPage = lazy(async () => ({ default: (await import("./pages/members/members-page.tsx")).MembersPage }));
const SecretsPage = lazy(async () => ({ default: (await import("./pages/secrets/secrets-page.tsx")).SecretsPage }));
const SecretsTextPage = lazy(async () => ({
  default: (await import("./pages/secrets/secrets-text-page.tsx")).SecretsTextPage,
}));
const SecretPage = lazy(async () => ({ default: (await import("./pages/secrets/secret-page.tsx")).SecretPage }));
const EnvironmentsPage = lazy(async () => ({
  default: (await import("./pages/environments/environments-page.tsx")).EnvironmentsPage,
}));
const EnvironmentPage = lazy(async () => ({
  default: (await import("./pages/environments/environment-page.tsx")).EnvironmentPage,
}));
const KeyPage = lazy(async () => ({ default: (await import("./pages/environments/key-page.tsx")).KeyPage }));
const EventsPage = lazy(async () => ({ default: (await import("./pages/events/events-page.tsx")).EventsPage }));
const CheckpointsPage = lazy(async () => ({
  default: (await import("./pages/events/checkpoints-page.tsx")).CheckpointsPage,
}));
const WebhooksPage = lazy(async () => ({ default: (await import("./pages/webhooks/webhooks-page.tsx")).WebhooksPage }));
const WebhookPage = lazy(async () => ({ default: (await import("./pages/webhooks/webhook-page.tsx")).WebhookPage }));
const DeliveriesPage = lazy(async () => ({
  default: (await import("./pages/webhooks/deliveries-page.tsx")).DeliveriesPage,
}));
const SettingsPage = lazy(async () => ({ default: (await import("./pages/settings/settings-page.tsx")).SettingsPage }));
const KeysPage = lazy(async () => ({ default: (await import("./pages/keys/keys-page.tsx")).KeysPage }));
const TrustRulesPage = lazy(async () => ({
  default: (await import("./pages/trust-rules/trust-rules-page.tsx")).TrustRulesPage,
}));
const TokensPage = lazy(async () => ({ default: (await import("./pages/tokens/tokens-page.tsx")).TokensPage }));
const ReferencePage = lazy(async () => ({ default: (await import("./pages/api/reference-page.tsx")).ReferencePage }));
const OperationPage = lazy(async () => ({ default: (await import("./pages/api/operation-page.tsx")).OperationPage }));
const RulesPage = lazy(async () => ({ default: (await import("./pages/firewall/rules/rules-page.tsx")).RulesPage }));
const RulePage = lazy(async () => ({ default: (await import("./pages/firewall/rules/rule-page.tsx")).RulePage }));
const PublishPage = lazy(async () => ({
  default: (await import("./pages/firewall/publish/publish-page.tsx")).PublishPage,
}));
const VersionsPage = lazy(async () => ({
  default: (await import("./pages/firewall/versions/versions-page.tsx")).VersionsPage,
}));
const AddressesPage = lazy(async () => ({
  default: (await import("./pages/firewall/addresses/addresses-page.tsx")).AddressesPage,
}));
const ManagedPage = lazy(async () => ({
  default: (await import("./pages/firewall/managed/managed-page.tsx")).ManagedPage,
}));
const FilePage = lazy(async () => ({ default: (await import("./pages/firewall/file/file-page.tsx")).FilePage }));
const TestsPage = lazy(async () => ({ default: (await import("./pages/firewall/tests/tests-page.tsx")).TestsPage }));
const TryPage = lazy(async () => ({ default: (await import("./pages/firewall/try/try-page.tsx")).TryPage }));
const TrafficPage = lazy(async () => ({
  default: (await import("./pages/firewall/traffic/traffic-page.tsx")).TrafficPage,
}));
const DecisionsPage = lazy(async () => ({
  default: (await import("./pages/firewall/decisions/decisions-page.tsx")).DecisionsPage,
}));
const DecisionPage = lazy(async () => ({
  default: (await import("./pages/firewall/decisions/decision-page.tsx")).DecisionPage,
}));
const AttackModePage = lazy(async () => ({
  default: (await import("./pages/firewall/attack-mode/attack-mode-page.tsx")).AttackModePage,
}));
const BypassesPage = lazy(async () => ({
  default: (await import("./pages/firewall/bypasses/bypasses-page.tsx")).BypassesPage,
}));

const ProfilePage = lazy(async () => ({ default: (await import("./pages/you/profile-page.tsx")).ProfilePage }));
const SignInPage = lazy(async () => ({ default: (await import("./pages/you/sign-in-page.tsx")).SignInPage }));
const SessionsPage = lazy(async () => ({ default: (await import("./pages/you/sessions-page.tsx")).SessionsPage }));
const InstancePage = lazy(async () => ({ default: (await import("./pages/instance/instance-page.tsx")).InstancePage }));
const AccountsPage = lazy(async () => ({ default: (await import("./pages/instance/accounts-page.tsx")).AccountsPage }));
const InstanceSettingsPage = lazy(async () => ({
  default: (await import("./pages/instance/settings-page.tsx")).SettingsPage,
}));

const OF_INSTANCE = { isTeamPage: false, isForAdministrators: true } as const;
const OF_ENVIRONMENTS = { isTeamPage: true, needs: "environment:read" } as const;
const OF_FIREWALL = { isTeamPage: true, isDetail: true, needs: "firewall:read" } as const;

export const ROUTES: readonly Route[] = [
  { path: ADDRESSES.home, title: TEXTS.home.title, isTeamPage: false, page: HomePage },
  { path: ADDRESSES.team, title: TEXTS.team.title, isTeamPage: true, page: TeamPage },
  { path: ADDRESSES.members, title: TEXTS.members.title, isTeamPage: true, page: MembersPage },
  { path: ADDRESSES.secrets, title: TEXTS.secrets.title, isTeamPage: true, needs: "secret:read", page: SecretsPage },
  {
    path: ADDRESSES.secret,
    title: TEXTS.secret.title,
    isTeamPage: true,
    isDetail: true,
    needs: "secret:read",
    page: SecretPage,
  },
  {
    path: ADDRESSES.secretsText,
    title: TEXTS.secretsText.title,
    isTeamPage: true,
    isDetail: true,
    needs: "secret:read",
    page: SecretsTextPage,
  },
  { path: ADDRESSES.environments, title: TEXTS.environments.title, ...OF_ENVIRONMENTS, page: EnvironmentsPage },
  {
    path: ADDRESSES.environment,
    title: TEXTS.environments.one,
    ...OF_ENVIRONMENTS,
    isDetail: true,
    page: EnvironmentPage,
  },
  {
    path: ADDRESSES.environmentKey,
    title: TEXTS.environments.ofKey,
    ...OF_ENVIRONMENTS,
    isDetail: true,
    page: KeyPage,
  },
  { path: ADDRESSES.firewall, title: TEXTS.firewallRules.title, ...OF_FIREWALL, isDetail: false, page: RulesPage },
  { path: ADDRESSES.firewallRule, title: TEXTS.rule.title, ...OF_FIREWALL, page: RulePage },
  { path: ADDRESSES.firewallPublish, title: TEXTS.firewallPublish.title, ...OF_FIREWALL, page: PublishPage },
  { path: ADDRESSES.firewallAddresses, title: TEXTS.firewallAddresses.title, ...OF_FIREWALL, page: AddressesPage },
  { path: ADDRESSES.firewallManaged, title: TEXTS.firewallManaged.title, ...OF_FIREWALL, page: ManagedPage },
  { path: ADDRESSES.firewallVersions, title: TEXTS.firewallVersions.title, ...OF_FIREWALL, page: VersionsPage },
  { path: ADDRESSES.firewallFile, title: TEXTS.firewallFile.title, ...OF_FIREWALL, page: FilePage },
  { path: ADDRESSES.firewallTry, title: TEXTS.firewallTry.title, ...OF_FIREWALL, page: TryPage },
  { path: ADDRESSES.firewallTests, title: TEXTS.firewallTests.title, ...OF_FIREWALL, page: TestsPage },
  { path: ADDRESSES.firewallTraffic, title: TEXTS.firewallTraffic.title, ...OF_FIREWALL, page: TrafficPage },
  { path: ADDRESSES.firewallDecisions, title: TEXTS.gateDecisions.title, ...OF_FIREWALL, page: DecisionsPage },
  { path: ADDRESSES.firewallDecision, title: TEXTS.gateDecisions.one, ...OF_FIREWALL, page: DecisionPage },
  { path: ADDRESSES.firewallAttackMode, title: TEXTS.attackMode.title, ...OF_FIREWALL, page: AttackModePage },
  { path: ADDRESSES.firewallBypasses, title: TEXTS.bypasses.title, ...OF_FIREWALL, page: BypassesPage },
  { path: ADDRESSES.events, title: TEXTS.events.title, isTeamPage: true, needs: "event:read", page: EventsPage },
  {
    path: ADDRESSES.checkpoints,
    title: TEXTS.checkpoints.title,
    isTeamPage: true,
    isDetail: true,
    needs: "event:read",
    page: CheckpointsPage,
  },
  {
    path: ADDRESSES.webhooks,
    title: TEXTS.webhooks.title,
    isTeamPage: true,
    needs: "webhook:read",
    page: WebhooksPage,
  },
  {
    path: ADDRESSES.webhook,
    title: TEXTS.webhooks.one,
    isTeamPage: true,
    isDetail: true,
    needs: "webhook:read",
    page: WebhookPage,
  },
  {
    path: ADDRESSES.deliveries,
    title: TEXTS.deliveries.title,
    isTeamPage: true,
    isDetail: true,
    needs: "webhook:read",
    page: DeliveriesPage,
  },
  { path: ADDRESSES.keys, title: TEXTS.keys.title, isTeamPage: true, needs: "api-key:read", page: KeysPage },
  {
    path: ADDRESSES.trustRules,
    title: TEXTS.trustRules.title,
    isTeamPage: true,
    needs: "api-key:read",
    page: TrustRulesPage,
  },
  { path: ADDRESSES.settings, title: TEXTS.settings.title, isTeamPage: true, page: SettingsPage },
  { path: ADDRESSES.api, title: TEXTS.api.title, isTeamPage: false, page: ReferencePage },
  { path: ADDRESSES.operation, title: TEXTS.api.title, isTeamPage: false, isDetail: true, page: OperationPage },
  { path: ADDRESSES.tokens, title: TEXTS.tokens.title, isTeamPage: false, page: TokensPage },
  { path: ADDRESSES.profile, title: TEXTS.profile.title, isTeamPage: false, page: ProfilePage },
  { path: ADDRESSES.signInMethods, title: TEXTS.signInMethods.title, isTeamPage: false, page: SignInPage },
  { path: ADDRESSES.sessions, title: TEXTS.sessions.title, isTeamPage: false, page: SessionsPage },
  { path: ADDRESSES.instance, title: TEXTS.instance.title, ...OF_INSTANCE, page: InstancePage },
  { path: ADDRESSES.accounts, title: TEXTS.accounts.title, ...OF_INSTANCE, page: AccountsPage },
  { path: ADDRESSES.instanceSettings, title: TEXTS.instanceSettings.title, ...OF_INSTANCE, page: InstanceSettingsPage },
];

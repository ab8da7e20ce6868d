// The sidebar: the pages of a team or of one's own, and the menu of one's account.
import {
  BadgeCheck,
  BookOpen,
  Box,
  ChartArea,
  ChevronsUpDown,
  CircleUser,
  FlaskConical,
  History,
  House,
  KeyRound,
  Layers,
  LogOut,
  Scale,
  Server,
  Settings,
  Shield,
  Siren,
  Terminal,
  Users,
  Webhook,
} from "lucide-react";
import type { LucideIcon } from "lucide-react";
import { useEffect, useId, useState } from "react";
import type { ReactNode } from "react";
import { createPortal } from "react-dom";
import { Link } from "wouter";
import { MOST_COUNTED } from "../src/teams/attention/attention-schema.ts";
import { useCounts } from "./api/attention.ts";
import { formatUpTo } from "./parts/numbers.ts";
import { useMay, useUser } from "./api/team.ts";
import { Avatar } from "./parts/avatar.tsx";
import { lazy } from "./parts/lazy-page.tsx";
import { Popup } from "./parts/popup.tsx";
import { ProjectPicker, usePageHref } from "./parts/project.tsx";
import { useSettled } from "./parts/settled.tsx";
import { ThemeChoice } from "./parts/theme-choice.tsx";
import { ROUTES, routeOf, sectionOf } from "./routes.ts";
import type { NavGroup, PageName, Route } from "./routes.ts";

const ICONS: Readonly<Partial<Record<PageName, LucideIcon>>> = {
  home: Users,
  team: House,
  projects: Box,
  secrets: KeyRound,
  environments: Layers,
  firewallTraffic: ChartArea,
  firewall: Shield,
  firewallDecisions: Scale,
  firewallAttackMode: Siren,
  firewallTry: FlaskConical,
  events: History,
  webhooks: Webhook,
  members: Users,
  keys: Terminal,
  trustRules: BadgeCheck,
  settings: Settings,
  profile: CircleUser,
  tokens: KeyRound,
  instance: Server,
  api: BookOpen,
};
const GROUPS: readonly (NavGroup | undefined)[] = [undefined, "Configuration", "Firewall", "Activity", "Team"];
const Shortcuts = lazy(async () => (await import("./parts/shortcuts.tsx")).Shortcuts, null);

function PageIcon({ name }: { readonly name: PageName }): ReactNode {
  const Icon = ICONS[name];
  return Icon && <Icon className="i" />;
}

function PageLink(props: {
  readonly route: Route;
  readonly href: string;
  readonly current: Route;
  /** How much on it needs somebody. */
  readonly count?: number | undefined;
}): ReactNode {
  const { route, href, current, count = 0 } = props;
  const counted = formatUpTo(count, MOST_COUNTED);
  return (
    <Link
      href={href}
      aria-current={sectionOf(current).name === route.name ? "page" : undefined}
      aria-description={count > 0 ? `${counted} ${count === 1 ? "needs" : "need"} attention` : undefined}
    >
      <PageIcon name={route.name} />
      {route.title}
      {count > 0 && (
        <span className={route.name === "webhooks" ? "count bad" : "count"} aria-hidden="true">
          {counted}
        </span>
      )}
    </Link>
  );
}

/** A link to a page of the team, unless the user's role does not show it. */
function TeamLink(props: {
  readonly route: Route;
  readonly current: Route;
  readonly count?: number | undefined;
}): ReactNode {
  const { route } = props;
  const hrefOf = usePageHref();
  const may = useMay(route.needs ?? "team:read");
  if (route.needs && may === false) return null;
  return <PageLink {...props} href={hrefOf(route)} />;
}

export function TeamNav({ current }: { readonly current: Route }): ReactNode {
  const pages = ROUTES.filter(({ isTeamPage, parent }) => isTeamPage && parent === undefined);
  const maySeeFirewall = useMay("firewall:read") !== false;
  // The page comes first.
  const counts = useCounts(useSettled());
  // The project is that of the environments, too.
  const picked: NavGroup = maySeeFirewall ? "Firewall" : "Configuration";
  return (
    <nav className="nav" aria-label="Pages of the team">
      {GROUPS.filter((group) => group !== "Firewall" || maySeeFirewall).map((group) => (
        <div key={group ?? ""} className="nav-group">
          {group && (
            <div className="nav-head">
              <h2>{group}</h2>
              {group === picked && <ProjectPicker />}
            </div>
          )}
          {pages
            .filter((route) => route.group === group)
            .map((route) => (
              <TeamLink key={route.name} route={route} current={current} count={counts[route.name]} />
            ))}
        </div>
      ))}
    </nav>
  );
}

/** Those of the pages that the user may see. */
function useOwnPages(names: readonly PageName[]): readonly Route[] {
  const isAdmin = useUser().data?.value.user.isAdmin === true;
  return names.map(routeOf).filter(({ isForAdministrators }) => isAdmin || !isForAdministrators);
}

const OWN_PAGES: readonly PageName[] = ["home", "profile", "instance", "api"];

/** Outside a team. */
export function OwnNav({ current }: { readonly current: Route }): ReactNode {
  return (
    <nav className="nav" aria-label="Your pages">
      {useOwnPages(OWN_PAGES).map((route) => (
        <PageLink key={route.name} route={route} href={route.path} current={current} />
      ))}
    </nav>
  );
}

const USER_PAGES: readonly PageName[] = ["profile", "tokens", "instance", "api"];

export function UserMenu(): ReactNode {
  const popup = useId();
  const user = useUser().data?.value.user;
  const name = user?.name ?? user?.username ?? "";
  const pages = useOwnPages(USER_PAGES);
  const [areShortcutsOpen, setShortcutsOpen] = useState(false);
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      if (event.key !== "/" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      if (document.querySelector("dialog:modal") === null) setShortcutsOpen(true);
    };
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
  return (
    <div className="side-end">
      <Popup id={popup} className="popup user-menu">
        <p className="popup-label cut">{user?.email}</p>
        <ul className="popup-list">
          {pages.map((route) => (
            <li key={route.name}>
              <Link href={route.path}>
                <PageIcon name={route.name} />
                {route.title}
              </Link>
            </li>
          ))}
        </ul>
        <button
          type="button"
          className="popup-item"
          aria-keyshortcuts="Control+/ Meta+/"
          onClick={() => {
            document.getElementById(popup)?.hidePopover();
            setShortcutsOpen(true);
          }}
        >
          <Terminal className="i" />
          <span className="grow">Keyboard shortcuts</span>
          <kbd aria-hidden="true">Ctrl /</kbd>
        </button>
        <hr />
        <div className="popup-row">
          Theme
          <ThemeChoice isShort />
        </div>
        <hr />
        <form method="post" action="sign-out">
          <button className="popup-item">
            <LogOut className="i" />
            Sign out
          </button>
        </form>
      </Popup>
      <button type="button" className="team" popoverTarget={popup}>
        <Avatar name={name} />
        <span className="hidden">Your account: </span>
        <span className="grow cut">{name}</span>
        <ChevronsUpDown className="i i-s" />
      </button>
      {areShortcutsOpen && createPortal(<Shortcuts onClose={() => setShortcutsOpen(false)} />, document.body)}
    </div>
  );
}

// What surrounds a page: the team's pages beside it, one's account, and the menu on narrow screens.
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { Link, useRoute } from "wouter";
import { ADDRESSES } from "./addresses.ts";
import { useMay, useTeam, useTeamId, useUser } from "./api/team.ts";
import { Palette, PaletteButton } from "./palette.tsx";
import { ROUTES } from "./routes.ts";
import type { Route } from "./routes.ts";

/** `within`: the addresses at which it is the current one; its own by default. */
function NavLink({
  href,
  within = href,
  children,
}: {
  readonly href: string;
  readonly within?: string;
  readonly children: ReactNode;
}): ReactNode {
  const [isCurrent] = useRoute(within);
  return (
    <Link href={href} aria-current={isCurrent ? "page" : undefined}>
      {children}
    </Link>
  );
}

/** A link to a page of the team, unless the user's role does not show it. */
function TeamLink({ route: { needs, path, title } }: { readonly route: Route }): ReactNode {
  const id = useTeamId();
  const may = useMay(needs ?? "team:read");
  if (needs && may === false) return null;
  const href = path.replace(":team", id);
  // The page of one thing is reached from its list.
  return (
    <NavLink href={href} within={path === ADDRESSES.team ? href : `${href}/*?`}>
      {title}
    </NavLink>
  );
}

function TeamNav(): ReactNode {
  const id = useTeamId();
  const team = useTeam().data?.value;
  return (
    <nav aria-label="Pages of the team">
      <p className="team-name">{team?.name ?? team?.slug ?? id}</p>
      {ROUTES.filter(({ isTeamPage, isDetail }) => isTeamPage && !isDetail).map((route) => (
        <TeamLink key={route.path} route={route} />
      ))}
    </nav>
  );
}

function AccountNav(): ReactNode {
  const user = useUser().data?.value.user;
  return (
    <nav aria-label="You">
      <NavLink href="/">Teams</NavLink>
      <NavLink href={ADDRESSES.tokens}>Access tokens</NavLink>
      <NavLink href={ADDRESSES.profile} within={`${ADDRESSES.profile}/*?`}>
        Account
      </NavLink>
      {user?.isAdmin && (
        <NavLink href={ADDRESSES.instance} within={`${ADDRESSES.instance}/*?`}>
          Instance
        </NavLink>
      )}
      <NavLink href={ADDRESSES.api} within={`${ADDRESSES.api}/*?`}>
        API reference
      </NavLink>
      <form method="post" action="sign-out">
        <button className="plain">Sign out {user?.name ?? user?.username}</button>
      </form>
    </nav>
  );
}

export function Shell({
  isTeamPage,
  children,
}: {
  readonly isTeamPage: boolean;
  readonly children: ReactNode;
}): ReactNode {
  const menu = useId();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  return (
    <div className="shell">
      <a className="skip" href={`${location.pathname}#content`}>
        Skip to the content
      </a>
      <header className="top">
        <strong>Reeve</strong>
        <button type="button" className="plain menu-button" popoverTarget={menu}>
          Menu
        </button>
      </header>
      <div id={menu} className="side" popover="auto">
        <PaletteButton onOpen={() => setPaletteOpen(true)} />
        {isTeamPage && <TeamNav />}
        <AccountNav />
      </div>
      <Palette isOpen={isPaletteOpen} setOpen={setPaletteOpen} />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

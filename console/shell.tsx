// What surrounds a page: the sidebar, which is a menu on narrow screens, and the bar with the way to the page.
import { ChevronRight, Menu } from "lucide-react";
import { useId, useState } from "react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useTeam, useTeamId } from "./api/team.ts";
import { OwnNav, TeamNav, UserMenu } from "./navigation.tsx";
import { Palette, PaletteButton } from "./palette/palette.tsx";
import { Popup } from "./parts/popup.tsx";
import { usePageHref, useProject } from "./parts/project.tsx";
import type { PageTitle } from "./parts/page-title.tsx";
import { isOfProject, sectionOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import { TeamSwitcher } from "./team-switcher.tsx";

interface Step {
  readonly name: string;
  /** The last one, which is the page itself, has none. */
  readonly href?: string;
}

/** The team, the section, and the thing. */
function useSteps(route: Route, title: PageTitle): readonly Step[] {
  const id = useTeamId();
  const [project] = useProject();
  const team = useTeam().data?.value;
  const section = sectionOf(route);
  const hrefOf = usePageHref();
  return [
    ...(route.isTeamPage ? [{ name: team?.name ?? team?.slug ?? id, href: `/teams/${id}` }] : []),
    ...(isOfProject(section) ? [{ name: project, href: hrefOf(section) }] : []),
    ...(section === route ? [] : [{ name: section.title, href: hrefOf(section) }]),
    { name: title.text },
  ];
}

function Breadcrumbs({ route, title }: { readonly route: Route; readonly title: PageTitle }): ReactNode {
  const steps = useSteps(route, title);
  return (
    <nav className="grow" aria-label="Breadcrumbs">
      <ol className="crumbs">
        {steps.map(({ name, href }, at) => (
          <li key={at}>
            {href === undefined ? (
              <span aria-current="page" className={title.isCode ? "mono" : undefined}>
                {name}
              </span>
            ) : (
              <>
                <Link href={href}>{name}</Link>
                <ChevronRight className="i i-s" />
              </>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

export function Shell({
  route,
  title,
  children,
}: {
  readonly route: Route;
  /** Of the page, for the breadcrumbs. */
  readonly title: PageTitle;
  readonly children: ReactNode;
}): ReactNode {
  const menu = useId();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  return (
    <div className="shell">
      <a className="skip" href={`${location.pathname}#content`}>
        Skip to content
      </a>
      <Popup id={menu} className="side" isKept>
        <TeamSwitcher isTeamPage={route.isTeamPage} />
        <PaletteButton onOpen={() => setPaletteOpen(true)} />
        {route.isTeamPage ? <TeamNav current={route} /> : <OwnNav current={route} />}
        <UserMenu />
      </Popup>
      <Palette isOpen={isPaletteOpen} setOpen={setPaletteOpen} />
      <div className="area">
        <div className="bar">
          <button type="button" className="plain icon menu-button" popoverTarget={menu} aria-label="Menu">
            <Menu className="i" />
          </button>
          <Breadcrumbs route={route} title={title} />
        </div>
        <main id="content" tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}

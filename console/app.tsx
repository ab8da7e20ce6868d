// The frame of every page: navigation, the page of the address, and what is shown when it fails.
import { useEffect, useMemo, useRef, useState } from "react";
import type { ReactNode } from "react";
import { Link, Redirect, Route as AtAddress, Switch, useLocation } from "wouter";
import type { Permission } from "../src/platform/kernel/roles.ts";
import { ADDRESSES } from "./addresses.ts";
import { useMay, useTeam, useUser } from "./api/team.ts";
import { PAGE_CODE } from "./page-code.ts";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { lazy } from "./parts/lazy-page.tsx";
import type { LazyPage } from "./parts/lazy-page.tsx";
import { Empty, Skeleton } from "./parts/placeholder.tsx";
import { PageTitlePlace } from "./parts/page-title.tsx";
import type { PageTitle, TabCounts } from "./parts/page-title.tsx";
import { Problem } from "./parts/problem.tsx";
import { OfProject, usePageHref } from "./parts/project.tsx";
import { Tabs } from "./parts/tabs.tsx";
import { Tips } from "./parts/tips.tsx";
import { ToastPlace } from "./parts/toast.tsx";
import { ROUTES, isOfProject, routeOf, sectionOf, tabsOf } from "./routes.ts";
import type { Route } from "./routes.ts";
import { Shell } from "./shell.tsx";

/** A page of a team, for members who may see it. */
function Allowed({ needs, children }: { readonly needs: Permission; readonly children: ReactNode }): ReactNode {
  const may = useMay(needs);
  const [team, user] = [useTeam(), useUser()];
  // What is shown stays while the server is gone: something may have been typed there.
  if (may === null) {
    const [failed] = [team, user].filter(({ error }) => error !== null);
    const again = (): void => [team, user].filter(({ data }) => !data).forEach(({ refetch }) => void refetch());
    return failed?.error ? <Problem error={failed.error} retry={again} /> : <Skeleton />;
  }
  return may ? (
    children
  ) : (
    <Empty title="Your role does not show this page" hint="An Owner of the team can give you another role." />
  );
}

function useTabs(route: Route, counts: TabCounts): ReactNode {
  const hrefOf = usePageHref();
  const tabs = tabsOf(route).map((page) => ({ title: page.tab ?? "", href: hrefOf(page) }));
  return tabs.length > 0 && <Tabs label={`Pages of ${sectionOf(route).title}`} tabs={tabs} counts={counts} />;
}

/**
 * A page in its frame: its title, which gets the focus after a navigation, so that screen readers say where one is, what can be done
 * with it, and its tabs.
 */
function Page({ route, children }: { readonly route: Route; readonly children: ReactNode }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const [location] = useLocation();
  const shown = useRef(location);
  const [thing, setTitle] = useState<PageTitle | null>(null);
  const [badges, setBadges] = useState<HTMLElement | null>(null);
  const [actions, setActions] = useState<HTMLElement | null>(null);
  const [counts, setCounts] = useState<TabCounts>({});
  const place = useMemo(() => ({ setTitle, setCounts, badges, actions }), [badges, actions]);
  const own = { text: route.title, isCode: false };
  const tabs = useTabs(route, counts);
  // The title of tabs is that of their first page.
  const title = thing ?? (tabs ? { text: sectionOf(route).title, isCode: false } : own);
  const name = thing ?? own;
  useEffect(() => {
    document.title = `${name.text} · Reeve`;
  }, [name.text]);
  useEffect(() => {
    if (shown.current !== location) heading.current?.focus();
    shown.current = location;
  }, [location]);
  return (
    <Shell route={route} title={name}>
      <header className="title">
        <h1 ref={heading} tabIndex={-1} className={title.isCode ? "mono" : undefined}>
          {title.text}
        </h1>
        <div ref={setBadges} className="badges" />
        <div ref={setActions} className="actions" />
      </header>
      {tabs}
      <PageTitlePlace value={place}>{children}</PageTitlePlace>
    </Shell>
  );
}

const PAGES = new Map(ROUTES.map(({ name }) => [name, lazy(PAGE_CODE[name])]));

/** The code of a page, and what is shown until it is there or when it fails. */
function Content({ route }: { readonly route: Route }): ReactNode {
  const [location] = useLocation();
  const Code = PAGES.get(route.name) as LazyPage;
  // Its code comes while it is found out whether the user may see it.
  Code.preload();
  return (
    <ErrorBoundary key={location}>
      {route.needs ? (
        <Allowed needs={route.needs}>
          {isOfProject(sectionOf(route)) ? (
            <OfProject>
              <Code />
            </OfProject>
          ) : (
            <Code />
          )}
        </Allowed>
      ) : (
        <Code />
      )}
    </ErrorBoundary>
  );
}

function NotFound(): ReactNode {
  return (
    <Empty
      title="There is no such page"
      hint="The address may be mistyped, or the page is about something that is no more."
    >
      <Link href="/">To your teams</Link>
    </Empty>
  );
}

/** An address that leads nowhere is shown in the frame of the first page. */
const NOWHERE: Route = { ...routeOf("home"), title: "Page not found" };

/** To others it is what an unknown address is. */
function AdministratorPage({ route }: { readonly route: Route }): ReactNode {
  const { data, error, refetch } = useUser();
  if (data && !data.value.user.isAdmin) {
    return (
      <Page route={NOWHERE}>
        <NotFound />
      </Page>
    );
  }
  // What is shown stays while the server is gone: something may have been typed there.
  return (
    <Page route={route}>
      {data ? <Content route={route} /> : error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton />}
    </Page>
  );
}

export function App(): ReactNode {
  return (
    <>
      <Switch>
        {ROUTES.map((route) => (
          <AtAddress key={route.path} path={route.path}>
            {route.isForAdministrators ? (
              <AdministratorPage route={route} />
            ) : (
              <Page route={route}>
                <Content route={route} />
              </Page>
            )}
          </AtAddress>
        ))}
        {/* The address of sessions until 0.5.0. */}
        <AtAddress path="/you/sessions">
          <Redirect to={ADDRESSES.signInMethods} replace />
        </AtAddress>
        <AtAddress>
          <Page route={NOWHERE}>
            <NotFound />
          </Page>
        </AtAddress>
      </Switch>
      <Tips />
      <ToastPlace />
    </>
  );
}

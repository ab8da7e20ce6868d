// The frame of every page: navigation, the page of the address, and what is shown when it fails.
import { Suspense, useEffect, useRef } from "react";
import type { ReactNode } from "react";
import { Link, Route, Switch, useLocation } from "wouter";
import type { Permission } from "../src/platform/kernel/roles.ts";
import { useMay, useTeam, useUser } from "./api/team.ts";
import { PAGE_CODE } from "./page-code.ts";
import { ErrorBoundary } from "./parts/error-boundary.tsx";
import { Empty, Skeleton } from "./parts/placeholder.tsx";
import { Problem } from "./parts/problem.tsx";
import { ROUTES } from "./routes.ts";
import type { Route as PageRoute } from "./routes.ts";
import { Shell } from "./shell.tsx";

/** A page of a team for whoever may see it. */
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
    <Empty title="Your role does not show this page" hint="An OWNER of the team can give you another role." />
  );
}

/** A page with its heading, which gets the focus after a navigation, so that screen readers say where one is. */
function Page({ route }: { readonly route: PageRoute }): ReactNode {
  const heading = useRef<HTMLHeadingElement>(null);
  const [location] = useLocation();
  const shown = useRef(location);
  const Code = PAGE_CODE[route.name];
  // Its code comes while it is found out whether the user may see it.
  Code.preload();
  useEffect(() => {
    document.title = `${route.title} · Reeve`;
    if (shown.current !== location) heading.current?.focus();
    shown.current = location;
  }, [route, location]);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        {route.title}
      </h1>
      <ErrorBoundary key={location}>
        <Suspense fallback={<Skeleton />}>
          {route.needs ? (
            <Allowed needs={route.needs}>
              <Code />
            </Allowed>
          ) : (
            <Code />
          )}
        </Suspense>
      </ErrorBoundary>
    </>
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

/** To others it is what an unknown address is. */
function ForAdministrators({ children }: { readonly children: ReactNode }): ReactNode {
  const { data, error, refetch } = useUser();
  // What is shown stays while the server is gone: something may have been typed there.
  if (!data) return error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton />;
  return data.value.user.isAdmin ? children : <NotFound />;
}

export function App(): ReactNode {
  return (
    <Switch>
      {ROUTES.map((route) => (
        <Route key={route.path} path={route.path}>
          <Shell isTeamPage={route.isTeamPage}>
            {route.isForAdministrators ? (
              <ForAdministrators>
                <Page route={route} />
              </ForAdministrators>
            ) : (
              <Page route={route} />
            )}
          </Shell>
        </Route>
      ))}
      <Route>
        <Shell isTeamPage={false}>
          <NotFound />
        </Shell>
      </Route>
    </Switch>
  );
}

// Keeps a page that fails from taking the rest of the console with it.
import { Component } from "react";
import type { ReactNode } from "react";
import { call } from "../api/call.ts";
import { CodeMissing } from "./lazy-page.tsx";
import { Problem } from "./problem.tsx";

interface State {
  readonly error: Error | null;
}

/** Loads everything anew once the server is there: a browser's own page for servers that are gone has no way back. */
async function reloadWhenThere(): Promise<void> {
  await call("GET /v2/user", {});
  location.reload();
}

function Failed({ error, retry }: { readonly error: Error; readonly retry: () => void }): ReactNode {
  if (error instanceof CodeMissing)
    return <Problem error={error} retry={() => void reloadWhenThere().catch(() => undefined)} />;
  return <Problem error={new Error(`This page has failed: ${error.message}`)} retry={retry} />;
}

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error ? <Failed error={error} retry={() => this.setState({ error: null })} /> : this.props.children;
  }
}

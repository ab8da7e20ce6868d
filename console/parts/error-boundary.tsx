// Keeps a page that fails from taking the rest of the console with it.
import { Component } from "react";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";

interface State {
  readonly error: Error | null;
}

export class ErrorBoundary extends Component<{ readonly children: ReactNode }, State> {
  override state: State = { error: null };

  static getDerivedStateFromError(error: Error): State {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    return error ? <Problem error={error} retry={() => this.setState({ error: null })} /> : this.props.children;
  }
}

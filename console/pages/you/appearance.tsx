// How the console looks.
import type { ReactNode } from "react";
import { ThemeChoice } from "../../parts/theme-choice.tsx";

export function Appearance(): ReactNode {
  return (
    <section className="panel">
      <header>
        <div className="grow">
          <h2>Appearance</h2>
          <p className="small">Of the console in this browser. System is light or dark as your device is.</p>
        </div>
        <ThemeChoice />
      </header>
    </section>
  );
}

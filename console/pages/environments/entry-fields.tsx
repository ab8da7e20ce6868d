// The fields that forms of entries share: how they are stored, and in which environments.
import type { ReactNode } from "react";
import type { Environment } from "./project-environments.ts";

const STORE_KINDS = { secretValue: "A new secret value", value: "A plain value", secret: "A reference to a secret" };

export type StoreKind = keyof typeof STORE_KINDS;

interface StoreAsProps<K extends StoreKind> {
  readonly kinds: readonly K[];
  readonly kind: K;
  readonly onChoose: (kind: K) => void;
  /** What else there is to say about how they are stored. */
  readonly children?: ReactNode;
}

export function StoreAs<K extends StoreKind>({ kinds, kind, onChoose, children }: StoreAsProps<K>): ReactNode {
  return (
    <fieldset className="bounds">
      <legend>Store as</legend>
      {kinds.map((one) => (
        <label key={one} className="check">
          <input type="radio" name="kind" checked={kind === one} onChange={() => onChoose(one)} />
          {STORE_KINDS[one]}
        </label>
      ))}
      {children}
    </fieldset>
  );
}

interface InWhichProps {
  readonly environments: readonly Environment[];
  readonly chosen: readonly string[];
  readonly onChoose: (chosen: readonly string[]) => void;
}

export function InWhich({ environments, chosen, onChoose }: InWhichProps): ReactNode {
  return (
    <fieldset className="bounds in-which">
      <legend>In which environments</legend>
      {environments.map(({ name }) => (
        <label key={name} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) =>
              onChoose(target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** Those of the chosen environments that are still there. */
export function stillThere(environments: readonly Environment[], chosen: readonly string[]): readonly string[] {
  return environments.map(({ name }) => name).filter((name) => chosen.includes(name));
}

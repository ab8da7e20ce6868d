// The fields that forms of entries share: how they are stored, and in which environments.
import type { ReactNode } from "react";
import { TEXTS } from "../../texts.ts";
import type { Environment } from "./project-environments.ts";

const T = TEXTS.environments;

export type StoreKind = keyof typeof T.storeKinds;

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
      <legend>{T.storeAs}</legend>
      {kinds.map((one) => (
        <label key={one} className="check">
          <input type="radio" name="kind" checked={kind === one} onChange={() => onChoose(one)} />
          {T.storeKinds[one]}
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
      <legend>{T.inWhich}</legend>
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

// Who acted: a person, an API key, or Reeve itself.
import { KeyRound, Radio } from "lucide-react";
import type { ReactNode } from "react";
import type { Event } from "../../api/objects.ts";
import { Avatar } from "../../parts/avatar.tsx";

export function actorOf({ text, entities, principal, principalId }: Event): string {
  const author = entities.find(({ type }) => type === "author");
  const name = author && text.slice(author.start, author.end);
  return name || (principal?.username ?? principal?.name ?? principalId);
}

export function Actor({ event }: { readonly event: Event }): ReactNode {
  const kind = event.principal?.type;
  if (kind === "user") return <Avatar name={actorOf(event)} />;
  return (
    <span className="avatar avatar-square" aria-hidden="true">
      {kind === "app" ? <KeyRound className="i i-s" /> : <Radio className="i i-s" />}
    </span>
  );
}

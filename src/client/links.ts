// The next page of a list is where `Link` leads: each list has cursors of its own, and this header says them all alike. RFC 8288

const NEXT = /<([^>]*)>\s*;\s*rel="next"/;

/**
 * The query of the next page; null: this is the last one. Of the link only its query counts: a server behind a proxy may know itself by
 * another name. What the link says of a member replaces what was sent.
 */
export function nextQuery(
  link: string | null,
  sent: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> | null {
  const target = NEXT.exec(link ?? "")?.[1];
  if (target === undefined) return null;
  const linked = new URL(target, "http://localhost").searchParams;
  const query: Record<string, unknown> = Object.fromEntries(
    [...new Set(linked.keys())].map((name) => [name, linked.getAll(name)]),
  );
  // A team of the settings is sent with every page.
  if (sent["teamId"] !== undefined) query["teamId"] = sent["teamId"];
  return query;
}

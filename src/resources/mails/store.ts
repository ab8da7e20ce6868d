// Statements on mail that waits to be sent.
import { prepare } from "../../store/prepared.ts";

export const insertMail = prepare<{ id: string; kind: string; recipient: string; payload: string; now: number }>(
  "mails.insert",
).run(({ db, p }) =>
  db.insertInto("mails").values({
    id: p("id"),
    kind: p("kind"),
    recipient: p("recipient"),
    payload: p("payload"),
    attempts: 0,
    due_at: p("now"),
    created_at: p("now"),
  }),
);

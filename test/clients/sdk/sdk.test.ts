// Four unmodified releases of `@vercel/sdk`, of which the older are the stricter, against a started Reeve: every team,
// user, authentication, event and webhook function, those of variables, and the values that it gives its caller.
import { describe } from "node:test";
import { startListeningApp } from "../started-app.ts";
import { testAccount } from "./account.ts";
import { testEvents } from "./events.ts";
import { testFirewall } from "./firewall.ts";
import { testFirewallFeed } from "./firewall-feed.ts";
import { testMembers } from "./members.ts";
import { testProtection } from "./protection.ts";
import { RELEASES } from "./releases.ts";
import { openSession } from "./session.ts";
import { testTeams } from "./teams.ts";
import { testTraffic } from "./traffic.ts";
import { testVariables } from "./variables.ts";
import { testWebhooks } from "./webhooks.ts";

const reeve = await startListeningApp();

// All are loaded before the first test begins: loading one holds this process up for a second.
const sessions = await Promise.all(RELEASES.map((release) => openSession(release, reeve)));

for (const session of sessions) {
  describe(`@vercel/sdk ${session.release.version}`, () => {
    testAccount(session);
    testTeams(session);
    testMembers(session);
    testEvents(session);
    testFirewall(session);
    testFirewallFeed(session);
    testProtection(session);
    testTraffic(session);
    testVariables(session);
    testWebhooks(session);
  });
}

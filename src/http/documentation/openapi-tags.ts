// What each group of endpoints is about, in a sentence: tools that show the document list it beside the group's name.

export const TAGS: Readonly<Record<string, string>> = {
  User: "The account that calls.",
  Users: "Every account of the instance, for its administrators.",
  "Access tokens": "Credentials that stand for a user.",
  "API keys": "Credentials of a team or a user that programs hold, with a role of their own.",
  Teams: "Users who own things together, and the settings of a team.",
  Members: "Who is in a team, with which role.",
  Invites: "Invitations of accounts and e-mail addresses.",
  "Access requests": "Wishes to join a team, and the answers to them.",
  Secrets: "Named values that are stored encrypted, with versions and former names.",
  Projects: "The names under which an owner's things are stored.",
  "Attack mode": "Challenging every client of a project for a while.",
  "Firewall bypasses": "Clients and requests that are not challenged while attack mode is on.",
  Firewall: "Configurations of a project's firewall: versions, drafts, and trying requests on them.",
  "Firewall traffic": "What came of requests, as those who enforce a configuration report it.",
  Webhooks: "URLs that an owner's events are sent to, and the log of the deliveries.",
  Events: "What happened: a feed, exports, live streams and signed checkpoints.",
  Service: "The process itself: its documentation, its health and its metrics.",
};

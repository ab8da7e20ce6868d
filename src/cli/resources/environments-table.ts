// The commands of projects and environments, as data.
import type { Output } from "../../client/types.ts";
import { describeChange } from "../environment-change.ts";
import type { EnvironmentDifference } from "../environment-change.ts";
import type { Resource } from "./row.ts";

type Entry = Output<"getEnvironment">["entries"][number];

/** What a change does to an environment, under its name. */
function describeEnvironment(environment: EnvironmentDifference): string {
  return [environment.name, describeChange(environment) || "Nothing differs."].join("\n");
}

export const projects: Resource = {
  name: "projects",
  summary: "see and create projects: what environments and firewalls belong to",
  commands: {
    list: {
      operation: "listProjects",
      list: "projects",
      columns: ["name", "createdAt", "updatedAt"],
      examples: [
        "reeve projects list --team acme",
        "reeve projects list --team acme --search shop --json name,security",
      ],
    },
    view: {
      operation: "getProject",
      examples: ["reeve projects view shop --team acme --json name,security"],
    },
    create: {
      operation: "createProject",
      args: ["name"],
      examples: ["reeve projects create shop --team acme"],
    },
  },
};

export const environments: Resource = {
  name: "environments",
  summary: "see and change what applications of a project get as variables",
  commands: {
    list: {
      operation: "listEnvironments",
      list: "environments",
      columns: ["name", "version", "entryCount", "inheritsFrom", "updatedAt"],
      examples: [
        "reeve environments list shop --team acme",
        "reeve environments list shop --team acme --json name,version",
      ],
    },
    view: {
      operation: "getEnvironment",
      summary: "one environment, with what it inherits from",
      examples: ["reeve environments view shop production --team acme --json name,version,inheritsFrom"],
    },
    entries: {
      operation: "getEnvironment",
      summary: "the entries of an environment, inherited ones too",
      list: "entries",
      columns: ["key", "kind", "value", "from", "updatedAt"],
      inTable: (entry) => ({ ...entry, value: entry["value"] ?? (entry as Entry).secret?.name }),
      examples: [
        "reeve environments entries shop production --team acme",
        "reeve environments entries shop production --team acme --json key,secret,from",
      ],
    },
    create: {
      operation: "createEnvironment",
      args: ["name"],
      examples: ["reeve environments create shop staging --team acme --inherits-from preview"],
    },
    update: {
      operation: "updateEnvironment",
      examples: ["reeve environments update shop staging --team acme --inherits-from production"],
    },
    change: {
      operation: "changeEnvironments",
      list: "environments",
      columns: ["name", "previousVersion", "version"],
      inDryRun: (environment) => describeEnvironment(environment as EnvironmentDifference),
      examples: [
        "reeve environments change shop --team acme --input change.json --dry-run --json '*'",
        "reeve environments change shop --team acme --input change.json --note 'The new database'",
      ],
    },
    delete: {
      operation: "deleteEnvironment",
      confirm: "Delete the environment {environment} of {project}, with its versions?",
      done: "Deleted the environment {environment} of {project}.",
      examples: ["reeve environments delete shop staging --team acme --dry-run"],
    },
    diff: {
      operation: "diffEnvironmentVersions",
      examples: ["reeve environments diff shop production --team acme --from 1 --to 3"],
    },
    rollback: {
      operation: "rollBackEnvironment",
      args: ["version"],
      confirm: "Bring the entries of version {version} of {environment} of {project} back?",
      examples: [
        "reeve environments rollback shop production 2 --team acme --dry-run",
        "reeve environments rollback shop production 2 --team acme --yes",
      ],
    },
    "versions list": {
      operation: "listEnvironmentVersions",
      columns: ["version", "changeCount", "inheritsFrom", "note", "createdAt", "createdBy"],
      examples: ["reeve environments versions list shop production --team acme"],
    },
    "versions view": {
      operation: "getEnvironmentVersion",
      examples: ["reeve environments versions view shop production 2 --team acme"],
    },
  },
};

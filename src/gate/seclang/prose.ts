// `prose` in a condition on `ruleset`: the rules that ordinary prose and code set off do not look into bodies then. They go on looking at
// the query, cookies and headers, and all the other rules at everything.

/** By what sets them off: paths and words of shells, names of functions, HTML, words of SQL. Measured by crs-corpus.test.ts. */
const RULES = (
  "930110 930120 932100 932105 932110 932115 932120 932130 932140 932150 933160 933210 934100 " +
  "941100 941130 941160 941170 941180 942100 942170 942190 942230 942270 942350"
).split(" ");
const OF_BODIES_TOO = ["ARGS", "ARGS_NAMES", "XML:/*"] as const;
const OF_QUERIES = ["ARGS_GET", "ARGS_GET_NAMES"] as const;

/** What a request is exempted by. */
export const PROSE_ACTIONS = RULES.flatMap((id) =>
  OF_BODIES_TOO.map((variable) => `ctl:ruleRemoveTargetById=${id};${variable}`),
);

/** Once in a file: what such a request leaves of the variables that bodies and queries share. */
export const PROSE_LINES = RULES.flatMap((id) =>
  OF_QUERIES.map((variable) => `SecRuleUpdateTargetById ${id} "${variable}"`),
);

// What is rendered for a configuration, and that nothing in a configuration can write a line of its own.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { CRS_CATEGORIES } from "../../firewall/evaluator/config.ts";
import type { Configuration, Rule } from "../../firewall/evaluator/config.ts";
import { renderSeclang } from "./render.ts";
import type { SeclangInput } from "./render.ts";

type Actions = Readonly<Record<string, "deny" | "log">>;

function configurationOf(actions: Actions, rules: readonly object[] = [], firewallEnabled = true): Configuration {
  const crs = Object.fromEntries(
    CRS_CATEGORIES.map((name) => [name, { active: name in actions, action: actions[name] ?? "deny" }]),
  ) as Configuration["crs"];
  return { firewallEnabled, ...(crs && { crs }), rules: rules as Rule[], ips: [] };
}

function render(configuration: Configuration | null, more: Partial<SeclangInput> = {}) {
  return renderSeclang({ project: "acme/shop", configuration, rules: "/crs", paranoia: null, watched: [], ...more });
}

const filesOf = (text: string) =>
  [...text.matchAll(/^Include \/crs\/REQUEST-(\d+)-\*\.conf$/gm)].map(([, file]) => Number(file));

const bypass = (conditions: readonly object[], more: object = {}) => ({
  id: "rule_1",
  name: "Exempt",
  active: true,
  conditionGroup: [{ conditions }],
  action: { mitigate: { action: "bypass", ...more } },
});
/** The lines that a configuration without rules does not have. */
function exclusionsOf(text: string): readonly string[] {
  const usual = new Set(render(configurationOf(XSS)).text.split("\n"));
  return text.split("\n").filter((line) => !usual.has(line));
}

const XSS = { xss: "deny" } as const;
const ON_SEARCH = { type: "path", op: "pre", value: "/search" };

describe("the files of the rule set", () => {
  it("are those of the categories that are on, with what no category stands for", () => {
    assert.deepEqual(
      filesOf(render(configurationOf({ sqli: "deny", java: "deny" })).text),
      [901, 905, 911, 920, 921, 942, 944, 949],
    );
  });

  it("come after the decision when they are only logged", () => {
    assert.deepEqual(
      filesOf(render(configurationOf({ sqli: "deny", xss: "log" })).text),
      [901, 905, 911, 920, 921, 942, 949, 941],
    );
    assert.deepEqual(filesOf(render(configurationOf({ xss: "log" })).text), [901, 905, 911, 920, 921, 941]);
  });

  for (const [what, configuration] of [
    ["no configuration", null],
    ["no category", configurationOf({})],
    ["a firewall that is switched off", configurationOf(XSS, [], false)],
  ] as const) {
    it(`are none with ${what}`, () => {
      const { text } = render(configuration);
      assert.deepEqual(filesOf(text), []);
      assert.doesNotMatch(text, /SecRule|SecAction/);
    });
  }

  it("do not depend on the version of the configuration", () => {
    const versioned = { ...configurationOf(XSS), version: 7 };
    assert.equal(render(versioned).text, render(configurationOf(XSS)).text);
  });
});

it("the paranoia level is the rule set's own unless it is given", () => {
  assert.doesNotMatch(render(configurationOf(XSS)).text, /tx\.paranoia_level=/);
  const { text } = render(configurationOf(XSS), { paranoia: 3 });
  assert.match(text, /setvar:tx\.paranoia_level=3,.*setvar:tx\.detection_paranoia_level=3"$/m);
});

it("hosts that are only watched get a threshold that no score reaches", () => {
  const { text } = render(configurationOf(XSS), { watched: ["shop.test", 'a"b', "new.shop.test"] });
  assert.match(
    text,
    /SecRule SERVER_NAME "@rx \(\?i\)\^\(\?:shop\\\.test\|new\\\.shop\\\.test\)\\\.\?\(\?::\[0-9\]\*\)\?\$"/,
  );
  assert.match(render(configurationOf(XSS), { watched: "all" }).text, /^SecAction .*threshold=1000000/m);
  assert.doesNotMatch(render(configurationOf(XSS)).text, /=1000000/);
});

describe("exclusions", () => {
  const rendered = (rule: object) => {
    const { text, notes } = render(configurationOf(XSS, [rule]));
    return { lines: exclusionsOf(text), notes };
  };

  it("leave out rules and categories where the conditions hold", () => {
    const { lines, notes } = rendered(
      bypass([
        ON_SEARCH,
        { type: "ruleset", op: "inc", value: ["xss", "942100"] },
        { type: "host", op: "eq", value: "shop.test" },
        { type: "method", op: "inc", value: ["GET", "POST"] },
        { type: "ip_address", op: "eq", value: "10.1.2.3/8" },
      ]),
    );
    assert.deepEqual(notes, []);
    assert.match(
      lines[0] ?? "",
      /^SecRule REQUEST_URI_RAW "@rx \(\?i\)\^\(\?:\/search\)" "id:87200,phase:1,pass,nolog,t:none,chain"$/,
    );
    const { text } = render(
      configurationOf(XSS, [
        bypass([ON_SEARCH, { type: "ip_address", op: "eq", value: "10.1.2.3/8" }], { bypassSystem: true }),
      ]),
    );
    assert.match(
      text,
      /^SecRule REMOTE_ADDR "@ipMatch 10\.0\.0\.0\/8" "t:none,ctl:ruleRemoveById=911000-944999,ctl:ruleRemoveById=87111,ctl:ruleRemoveById=87116,ctl:ruleRemoveById=87117"$/m,
    );
    assert.match(lines.at(-1) ?? "", /ctl:ruleRemoveById=941000-941999,ctl:ruleRemoveById=942100"$/);
  });

  it("are for every request without other conditions", () => {
    const { lines } = rendered(bypass([{ type: "ruleset", op: "eq", value: "941100" }]));
    assert.deepEqual(lines, ['SecAction "id:87200,phase:1,pass,nolog,ctl:ruleRemoveById=941100"']);
  });

  it("of prose leave bodies out of some rules, and the query in", () => {
    const { lines, notes } = rendered(bypass([ON_SEARCH, { type: "ruleset", op: "inc", value: ["prose", "sqli"] }]));
    assert.deepEqual(notes, []);
    const last = lines.at(-1) ?? "";
    assert.match(last, /,ctl:ruleRemoveTargetById=942100;ARGS,.*,ctl:ruleRemoveById=942000-942999"$/);
    assert.doesNotMatch(last, /ruleRemoveTargetById=942160/);
    assert.equal(lines.filter((line) => line === 'SecRuleUpdateTargetById 942100 "ARGS_GET"').length, 1);
  });

  it("are no rules that bypass rules of the firewall alone, that are off, or that do something else", () => {
    const off = { ...bypass([ON_SEARCH], { bypassSystem: true }), active: false };
    const deny = { ...bypass([ON_SEARCH]), action: { mitigate: { action: "deny" } } };
    for (const rule of [bypass([ON_SEARCH]), off, deny]) assert.deepEqual(rendered(rule), { lines: [], notes: [] });
  });

  for (const [what, condition] of [
    ["a path that can be spelled in other ways", { type: "path", op: "eq", value: "/a b" }],
    ["an expression", { type: "path", op: "re", value: "^/search" }],
    ["a negation", { ...ON_SEARCH, neg: true }],
    ["a condition that the engine cannot test", { type: "geo_country", op: "eq", value: "DE" }],
    ["a rule that decides", { type: "ruleset", op: "eq", value: "949110" }],
    ["a rule that sets up", { type: "ruleset", op: "eq", value: "901100" }],
    ["a rule set that is not this one", { type: "ruleset", op: "eq", value: "mine" }],
    ["no value", { type: "ruleset", op: "inc", value: [] }],
  ] as const) {
    it(`are not rendered for ${what}, and that is said`, () => {
      const { lines, notes } = rendered(bypass([ON_SEARCH, condition], { bypassSystem: true }));
      assert.deepEqual(lines, []);
      assert.match(notes.join(), /^rule rule_1 \(Exempt\) exempts no request/);
    });
  }
});

/** Every line that may occur. `deploy/gate/modsecurity/reeve-seclang-reload` has the same as expressions of grep. */
const SHAPES = [
  /^# Written by `reeve gate seclang` for acme\/shop; changes are overwritten\.$/,
  /^SecComponentSignature "Reeve acme\/shop"$/,
  /^Include \/crs\/REQUEST-9\d\d-\*\.conf$/,
  /^SecRuleUpdateTargetById \d{6} "(XML:\/\/@\*|ARGS_GET|ARGS_GET_NAMES)"$/,
  /^SecAction "id:8[78]\d{3},phase:[12],pass,nolog(,(setvar:tx\.[a-z0-9_]+=[+-]?(\d+|%\{tx\.[a-z0-9_]+\})|ctl:ruleRemove(ById=[\d-]+|TargetById=\d+;(ARGS|ARGS_NAMES|XML:\/\*))))+"$/,
  /^SecRule (REQUEST_URI_RAW|REQUEST_METHOD|SERVER_NAME) "@rx (\(\?i\))?\^[\w./\\~:?()|[\]*$-]+" "(id:8[78]\d{3},phase:1,pass,nolog,)?t:none,(chain|(ctl:ruleRemove(ById=[\d-]+|TargetById=\d+;(ARGS|ARGS_NAMES|XML:\/\*)),?)+|setvar:tx\.inbound_anomaly_score_threshold=1000000)"$/,
  /^SecRule REMOTE_ADDR "@ipMatch [\d.:a-f/,]+" "(id:8[78]\d{3},phase:1,pass,nolog,)?t:none,(chain|(ctl:ruleRemove(ById=[\d-]+|TargetById=\d+;(ARGS|ARGS_NAMES|XML:\/\*)),?)+)"$/,
  /^SecRule (&TX:allowed_[a-z_]+|&REQUEST_HEADERS:Content-Type|&ARGS|REQBODY_ERROR|REQUEST_BODY_LENGTH|MULTIPART_DATA_AFTER|TX:reeve_(log|deny)) "!?@(eq|ge|lt) [\d%{}a-z._]+" "[^"]*"$/,
  /^SecRule REQUEST_HEADERS:Content-Type "@rx [^"]+" "(id:871\d\d,phase:1,pass,nolog,)?t:none,t:lowercase,(capture,setvar:'tx\.allowed_request_content_type=\|%\{tx\.1\}\|'|ctl:(requestBodyProcessor=[A-Z]+|ruleRemoveById=9\d{5})(,ctl:ruleRemoveById=921150)?)"$/,
];

it("nothing that somebody wrote in a configuration gets into a line", () => {
  const hostile = [
    '"',
    "\n",
    "\\",
    "'",
    ",",
    "%{env.x}",
    " ",
    "|",
    "(",
    "]",
    "\r",
    "\0",
    "\u2028",
    "$",
    '"\nSecRuleEngine Off\n#',
  ];
  const textLike = (...plain: readonly string[]) => {
    const word = fc.constantFrom(...plain);
    const spoiled = fc.tuple(word, fc.constantFrom(...hostile), word).map((parts) => parts.join(""));
    return fc.oneof({ weight: 3, arbitrary: word }, { weight: 1, arbitrary: spoiled });
  };
  const condition = fc.oneof(
    ...Object.entries({
      path: textLike("/a", "/a.b/c-d~", ""),
      host: textLike("shop.test", "localhost"),
      method: textLike("GET", "put"),
      ip_address: textLike("10.0.0.0/8", "::1", "::ffff:1.2.3.4"),
      ruleset: textLike("xss", "942100", "crs", "prose", "999999"),
      raw_path: textLike("/a"),
    }).map(([type, value]) =>
      fc.record({
        type: fc.constant(type),
        op: fc.constantFrom("eq", "inc", "list", "pre", "re"),
        value: fc.oneof(value, fc.array(value, { minLength: 1, maxLength: 3 })),
      }),
    ),
  );
  const text = textLike("rule_1", "Exempt", "shop.test");
  const rule = fc.tuple(fc.array(condition, { minLength: 1, maxLength: 3 }), fc.boolean(), text);
  let exclusions = 0;
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 3 }), fc.array(text, { maxLength: 2 }), (rules, watched) => {
      const written = rules.map(([conditions, bypassSystem, name]) => ({
        ...bypass(conditions, { bypassSystem }),
        id: name,
        name,
      }));
      const { text: rendered } = render(configurationOf({ xss: "deny", sqli: "log" }, written), { watched });
      if (rendered.includes("id:87200")) exclusions++;
      const strange = rendered.split("\n").find((line) => line !== "" && !SHAPES.some((shape) => shape.test(line)));
      assert.equal(strange, undefined);
    }),
    { numRuns: 3_000 },
  );
  assert.ok(exclusions > 100, `only ${exclusions} of the configurations had an exclusion`);
});

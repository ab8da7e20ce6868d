// Which types of bodies applications take, and how the engine reads each of them. The rule set's own list is of a few types without
// families, and the engine reads fewer: a body that it does not read is looked at by hardly a rule.
const NAME = "[a-z0-9][a-z0-9._+-]*";
const anyOf = (...types: readonly string[]) => `(?:${types.join("|")})`;

const JSON_TYPES = anyOf(
  `(?:application|text)/(?:${NAME}\\+|x-)?json`,
  String.raw`application/x-amz-json-1\.[01]`,
  "application/csp-report",
);
const XML_TYPES = anyOf("(?:application|text)/(?:x-)?xml", `[a-z]+/${NAME}\\+xml`);
/** Read as one text, or as the fields of a form where it has `&` and `=`. */
const TEXT_TYPES = anyOf(
  `text/${NAME}`,
  "application/(?:x-)?(?:ndjson|jsonl|jsonlines|json5|yaml|toml|javascript)",
  "application/(?:graphql|json-seq|jwt|sql|sdp|sparql-query|sparql-update)",
);
/** Nothing in them is looked at. */
const OTHER_TYPES = anyOf(
  "application/x-www-form-urlencoded",
  "multipart/(?:form-data|related|mixed)",
  `(?:image|audio|video|font|model)/${NAME}`,
  String.raw`application/vnd\.${NAME}`,
  String.raw`application/(?:${NAME}\+)?octet-stream`,
  "application/(?:pdf|zip|gzip|zstd|wasm|cbor|pkcs10|dns-message|ocsp-request|timestamp-query)",
  "application/(?:x-)?(?:protobuf|msgpack)",
  String.raw`application/grpc(?:-web)?(?:-text)?(?:\+proto)?`,
  "application/x-(?:binary|tar|7z-compressed|bzip2|gzip|xz|zip-compressed|git-upload-pack-request|git-receive-pack-request)",
);
const END = String.raw`\s*(?:;|$)`;

/** How the engine reads a body. A text is read as the name of a field, which may have no line feeds in a form (921150). */
const READERS = [
  [87_106, "URLENCODED,ctl:ruleRemoveById=921150", TEXT_TYPES],
  [87_107, "JSON", JSON_TYPES],
  [87_108, "XML", XML_TYPES],
] as const;

/** Rules of version 3 that look at the texts of an XML body and not at its attributes. */
const WITHOUT_ATTRIBUTES =
  "921110 921120 921130 930100 930110 930120 932100 932105 932110 932115 932120 932130 932140 932150 932160 933100 933120 933130 " +
  "933140 933150 933160 933170 933180 933200 933210 934100 941100 941110 941120 941130 941140 941160 941170 941180 941190 941200 " +
  "941210 941220 941230 941240 941250 941260 941270 941280 941290 941300 941310 941350 941360 941370 942100 942140 942160 942170 " +
  "942190 942220 942230 942240 942250 942270 942280 942290 942320 942350 942360 942500 943100";

/** The first and the last twice: version 3 takes this for an expression, version 4 for names with a `|` on either side. */
const CHARSETS = "utf-8 utf-8 utf8 iso-8859-1 iso-8859-15 windows-1252 windows-1252".replaceAll(" ", "|");
const ALL = anyOf(JSON_TYPES, XML_TYPES, TEXT_TYPES, OTHER_TYPES);
const PARAMETER = String.raw`\s?;\s?[a-z0-9_.-]+=(?:[a-z0-9_.+/:*-]+|\x22[a-z0-9 _.,+/:;=?&@#*-]*\x22)`;

/** It takes bytes of UTF-8 for `<` and `>` of another encoding, and so most texts in Cyrillic for an attack. */
const OTHER_ENCODING = 941_310;

/** What the settings of the rule set say about types and charsets is left as it is. */
export function renderTypes(): readonly string[] {
  return [
    `SecRule &TX:allowed_request_content_type_charset "@eq 0" "id:87102,phase:1,pass,nolog,setvar:'tx.allowed_request_content_type_charset=${CHARSETS}'"`,
    `SecRule &TX:allowed_request_content_type "@eq 0" "id:87105,phase:1,pass,nolog,t:none,chain"`,
    `SecRule REQUEST_HEADERS:Content-Type "@rx ^(${ALL})${END}" "t:none,t:lowercase,capture,setvar:'tx.allowed_request_content_type=|%{tx.1}|'"`,
    ...READERS.map(
      ([id, reader, types]) =>
        `SecRule REQUEST_HEADERS:Content-Type "@rx ^${types}${END}" "id:${id},phase:1,pass,nolog,t:none,t:lowercase,ctl:requestBodyProcessor=${reader}"`,
    ),
    ...WITHOUT_ATTRIBUTES.split(" ").map((id) => `SecRuleUpdateTargetById ${id} "XML://@*"`),
    // Parameters that the rule set does not know, such as `profile` and `odata`.
    `SecRule &REQUEST_HEADERS:Content-Type "@eq 1" "id:87109,phase:1,pass,nolog,t:none,chain"`,
    `SecRule REQUEST_HEADERS:Content-Type "@rx ^${ALL}(?:${PARAMETER})*;?$" "t:none,t:lowercase,ctl:ruleRemoveById=920470"`,
    `SecAction "id:87118,phase:1,pass,nolog,ctl:ruleRemoveById=${OTHER_ENCODING}"`,
  ];
}

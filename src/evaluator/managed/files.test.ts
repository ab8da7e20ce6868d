// What the signatures of `ma`, `lfi` and `rfi` are found in, and what is close to it and ordinary.
import { describe } from "node:test";
import { testSignatures } from "../../../test/signatures.ts";
import { CRS } from "./sets.ts";

describe("ma", () => {
  testSignatures(CRS.ma, {
    ma_boundary: {
      found: ["multipart/form-data; boundary=a<b", "Multipart/Mixed; charset=utf-8; boundary=${x}"],
      notFound: [
        "multipart/form-data; boundary=----WebKitFormBoundaryX3nSnLYrGGO4Xi1A",
        'multipart/mixed; boundary="gc0p4Jq0M2Yt08j34c0p(1):/?=,+\'"',
        "application/json",
      ],
    },
    ma_two_boundaries: {
      found: ["multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=a,boundary=b"],
      notFound: ["multipart/form-data; boundary=aboundary=b", "multipart/form-data; boundary=a; charset=utf-8"],
    },
    ma_two_types: {
      found: ["multipart/form-data; boundary=a, application/json", "multipart/form-data,text/plain"],
      notFound: ["multipart/form-data; boundary=a,b", "application/json, text/plain"],
    },
    ma_transfer_encoding: {
      found: [
        'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: base64\r\n\r\nPHNjcmlwdD4=',
        'content-disposition: form-data; name="a"\ncontent-type: text/plain\ncontent-transfer-encoding:quoted-printable\n',
      ],
      notFound: [
        'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: binary\r\n\r\nx',
        'Content-Disposition: form-data; name="mail"\r\n\r\nContent-Transfer-Encoding: base64\r\n',
        "Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n",
      ],
    },
    ma_file_path: {
      found: [
        'Content-Disposition: form-data; name="f"; filename="../../shell.txt"',
        'content-disposition: form-data; filename="..\\a"',
        'Content-Disposition: form-data; filename="a.php%00.jpg"',
      ],
      notFound: [
        'Content-Disposition: form-data; name="f"; filename="a..b.txt"',
        'Content-Disposition: form-data; name="../x"',
      ],
    },
    ma_program: {
      found: [
        'Content-Disposition: form-data; name="f"; filename="shell.php"\r\n',
        'Content-Disposition: form-data; name="f"; filename="shell.phtml.jpg"',
        "Content-Disposition: form-data; filename*=UTF-8''a.jsp\r\n",
      ],
      notFound: [
        'Content-Disposition: form-data; name="f"; filename="php.txt"\r\n',
        'Content-Disposition: form-data; name="f"; filename="photo.phpx"\r\n',
        'Content-Disposition: form-data; name="a.php"\r\n',
      ],
    },
  });
});

describe("lfi", () => {
  testSignatures(CRS.lfi, {
    lfi_climb: {
      found: ["../../index", "a/..\\..\\x", "%2e%2e%2f%2e%2e%2f", "..%252f..%252f", "%c0%ae%c0%ae/%c0%ae%c0%ae/"],
      notFound: ["../index", "a..b/../c", "1.../2", "..."],
    },
    lfi_hidden_climb: {
      found: ["/a/%2e%2e/b", "/static/..%2fx", "/%2e./", "/x/.%2e", "/%252e%252e/etc"],
      notFound: ["/a/../b", "/file%2ejpg", "/a%2fb", "/%2e"],
    },
    lfi_unix: {
      found: ["/etc/passwd", "../../etc/shadow", "file=/x/etc//passwd".slice(5), "/proc/self/environ"],
      notFound: ["/etc/hosts", "/docs/etc", "/sketch/passwd", "etc/passwords", "/process/self/environ"],
    },
    lfi_unix_member: {
      found: ['{"file":"/etc/passwd"}', "file=../../etc/shadow&x=1", "a=file:///etc/passwd"],
      notFound: ["Users are listed in /etc/passwd, one a line.", '{"file":"/etc/passwd.html"}'],
    },
    lfi_windows: {
      found: ["C:\\windows\\win.ini", "../../windows/system32/drivers/etc/hosts", "c:\\boot.ini"],
      notFound: ["windows/winter.html", "/windows/system32", "reboot.ini", "/boot.ini.html"],
    },
    lfi_keys: {
      found: ["/.ssh/id_rsa", "../.aws/credentials", "/home/a/.docker/config.json"],
      notFound: ["/ssh/id_rsa", "/.aws/", "/docs/.sshd/config"],
    },
  });
});

describe("rfi", () => {
  testSignatures(CRS.rfi, {
    rfi_address: {
      found: ["http://192.0.2.4/shell.txt", "https://198.51.100.7:8080/a/b.php?cmd=1"],
      notFound: ["http://127.0.0.1:3000/callback", "https://example.com/a.txt", "http://192.0.2.4/a.txtx"],
    },
    rfi_cut_off: {
      found: ["http://evil.example/c99.txt?", "https://evil.example/x.php??"],
      notFound: ["http://example.com/?", "https://example.com/readme.txt", "https://example.com/a.php?x=1"],
    },
    rfi_stream: {
      found: ["expect://id", "phar://upload/a.jpg", "compress.zlib:///tmp/a"],
      notFound: ["https://example.com/", "zip:1234", "see phar://x"],
    },
    rfi_data: {
      found: ["data://text/plain;base64,PD9waHAgcGhwaW5mbygpOz8+", "data:,<?php phpinfo();"],
      notFound: ["data:image/png;base64,iVBORw0KGgo=", "data:text/plain,hello"],
    },
    rfi_share: {
      found: ["\\\\203.0.113.9\\share\\a.php", "\\\\evil.example@80\\dav\\x"],
      notFound: ["\\d+\\w", "C:\\Users\\a", "\\\\"],
    },
  });
});

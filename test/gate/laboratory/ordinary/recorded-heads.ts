// Heads that browsers and other clients send by default, beside those of a body.
export const RECORDED_HEADS: Readonly<Record<string, readonly string[]>> = {
  Chrome: [
    'sec-ch-ua: "Chromium";v="142", "Google Chrome";v="142", "Not_A Brand";v="99"',
    "sec-ch-ua-mobile: ?0",
    'sec-ch-ua-platform: "Windows"',
    "Upgrade-Insecure-Requests: 1",
    "User-Agent: Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
    "Sec-Fetch-Site: same-origin",
    "Sec-Fetch-Mode: navigate",
    "Sec-Fetch-User: ?1",
    "Sec-Fetch-Dest: document",
    "Referer: http://shop.test/search?q=a%20b&role=guest",
    "Accept-Encoding: gzip, deflate, br, zstd",
    "Accept-Language: de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7",
  ],
  Firefox: [
    "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language: en-US,en;q=0.5",
    "Accept-Encoding: gzip, deflate",
    "Upgrade-Insecure-Requests: 1",
    "Priority: u=0, i",
  ],
  Safari: [
    "Sec-Fetch-Dest: document",
    "User-Agent: Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15",
    "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language: en-GB,en;q=0.9",
    "Priority: u=0, i",
    "Accept-Encoding: gzip, deflate",
  ],
  "Java HttpClient": [
    "Connection: Upgrade, HTTP2-Settings",
    "HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA",
    "Upgrade: h2c",
    "User-Agent: Java-http-client/17.0.15",
  ],
  "Go net/http": ["User-Agent: Go-http-client/1.1", "Accept-Encoding: gzip"],
  ".NET HttpClient": ["traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"],
  "Python requests": ["User-Agent: python-requests/2.32.5", "Accept-Encoding: gzip, deflate", "Accept: */*"],
  OkHttp: ["Accept-Encoding: gzip", "User-Agent: okhttp/4.12.0"],
};

/** Cookies that sites set: tokens, JSON as it is and encoded, quotes, signatures. */
export const RECORDED_COOKIES: readonly string[] = [
  "_ga=GA1.1.1234567890.1700000000; _gid=GA1.2.987654321.1700000001",
  "session=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln; theme=dark",
  "connect.sid=s%3AabcDEF123.%2Bsig%2F%3D; consent=%7B%22ads%22%3Afalse%7D",
  'wp-settings-1="editor=tinymce"; csrftoken=a1b2c3==',
  "OptanonConsent=isGpcEnabled=0&datestamp=Fri+Nov+27+2026+10%3A00%3A00+GMT%2B0100&groups=C0001%3A1%2CC0002%3A0",
  "role=guest; lang=de-DE; cart[items]=2",
];

/** Queries that pages and scripts send. */
export const RECORDED_QUERIES: readonly string[] = [
  "?q=a+b&page=2",
  "?filter[status]=open&filter[tags][]=a&filter[tags][]=b&sort=-created",
  "?utm_source=news&utm_medium=e-mail&fbclid=IwAR0a-b_c",
  "?name=Gr%C3%BC%C3%9Fe&redirect=https%3A%2F%2Fshop.test%2F%3Fa%3D1%26b%3D2",
  "?flag&empty=&ids=1,2,3&range=10..20&email=a%40b.test",
  "?$filter=price%20gt%2010&$orderby=name",
];

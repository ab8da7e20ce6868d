// A hundred requests as sites get them from people, programs and services: no category of `crs` may notice one.
import type { RequestAttributes } from "../src/evaluator/request/attributes.ts";

const BROWSERS = [
  "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36",
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:132.0) Gecko/20100101 Firefox/132.0",
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
] as const;

const PAGES = [
  "/",
  "/about",
  "/blog/2026/how-we-select-and-union-our-teams",
  "/docs/sql/union-select",
  "/docs/scripts/javascript",
  "/search?q=rock+%27n%27+roll",
  "/search?q=O%27Reilly+and+sons",
  "/search?q=select+a+plan+from+the+list",
  "/search?q=credit+union+select+committee",
  "/search?q=drop+table+lamp",
  "/search?q=5+%3E+3+and+2+%3C+4",
  "/search?q=how+to+use+cat+and+ls",
  "/search?q=C%2B%2B+%26%26+operator",
  "/search?q=%22exact+phrase%22+or+%22another%22",
  "/search?q=javascript+event+onclick",
  "/search?q=%3C3+music",
  "/search?q=t%C3%A9l%C3%A9phone+%E6%9D%B1%E4%BA%AC+%F0%9F%8E%89",
  "/search?q=100%25+cotton&sort=price&order=asc",
  "/search?q=what+is+etc+passwd",
  "/search?q=alert+system+(home)",
  "/products?category=shoes&size=42&color=red&page=2",
  "/products?filter[price][gte]=10&filter[price][lte]=50",
  "/products?ids=1,2,3&fields=id,name,price",
  "/products?sort=name|id&include=a;b",
  "/products/12345?ref=newsletter&utm_source=mail&utm_campaign=autumn%20sale",
  "/cart?coupon=SAVE-20%25",
  "/login?next=%2Faccount%2Forders%3Fpage%3D2",
  "/login?redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback&state=af0ifjsldkj&response_type=code&scope=openid%20profile",
  "/oauth/callback?code=SplxlOBeZQQYbYS6WxSbIA&state=xyz",
  "/cb?url=http%3A%2F%2F127.0.0.1%3A3000%2Fcallback",
  "/image?url=https%3A%2F%2Fcdn.example.com%2Fphotos%2Fa.jpg&w=640&q=75",
  "/_next/image?url=%2Fstatic%2Fhero.png&w=1200&q=75",
  "/_next/static/chunks/pages/%5Bslug%5D-5f2c.js",
  "/_next/data/abc123/index.json?slug=a&slug=b",
  "/static/js/main.8f7a.js?v=1.2.3-beta.1+build.5",
  "/assets/logo@2x.png",
  "/favicon.ico",
  "/robots.txt",
  "/sitemap.xml",
  "/.well-known/security.txt",
  "/.well-known/acme-challenge/evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ-PCt92wr-oA",
  "/wiki/C%23_(programming_language)",
  "/wiki/AC%2FDC",
  "/files/Annual%20report%20(final)%20v2.1..pdf",
  "/files/a..b/c...d",
  "/users/jane.o'neil",
  "/users/@me/settings",
  "/map?bbox=-0.489,51.28,0.236,51.686&zoom=10.5",
  "/weather?lat=48.8566&lon=-2.3522&units=metric",
  "/calendar?from=2026-01-01T00:00:00%2B01:00&to=2026-02-01",
  "/api/items?where=%7B%22price%22%3A%7B%22%24gt%22%3A5%7D%7D",
  "/api/items?filters[name][$eq]=shoe&populate=*",
  "/api/graphql?query=%7B%20user(id%3A%201)%20%7B%20name%20email%20%7D%20%7D",
  "/api/query?expr=sum(rate(http_requests_total%5B5m%5D))%20by%20(job)",
  "/api/v1/jobs?status=running&limit=100&cursor=eyJpZCI6MTIzfQ%3D%3D",
  "/api/time?tz=Europe%2FBerlin&format=%25Y-%25m-%25d",
  "/r?d=%5Cd%2B%5Cs*%5Bvx%5D",
  "/share?text=Look%3A%20%23sale%20%40home%20%26%20garden!",
  "/track?e=click&t=1763719025&cid=555.123&dl=https%3A%2F%2Fexample.com%2F%3Fa%3Db%26c%3Dd",
  "/consent?v=CPzHq4APzHq4AAKAvAENDYCsAP_AAH_AACiQ",
  "/pay?amount=12.50&currency=EUR&memo=Invoice%20%2342%3B%20thanks",
  "/feedback?msg=It%27s%20great%20--%20really",
  "/jobs?title=R%26D%20engineer%3B%20remote",
  "/poll?answer=yes%20or%20no",
  "/shop?size=10&size=11&sale",
  "/?",
  "/?s=&lang=de",
  "/a/./b/../c",
  "/feed.php?format=rss",
  "/index.php?title=Main_Page&action=history",
] as const;

const JSON_TYPE = { "content-type": "application/json" };
const FORM_TYPE = { "content-type": "application/x-www-form-urlencoded" };
const BOUNDARY = "----WebKitFormBoundary7MA4YWxkTrZu0gW";

function part(disposition: string, type: string, text: string): string {
  return `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${type}\r\n${text}\r\n--${BOUNDARY}--\r\n`;
}

const POSTS: readonly (Omit<RequestAttributes, "url"> & { readonly url: string })[] = [
  { url: "/login", headers: FORM_TYPE, body: "user=jane%40example.com&password=c0rrect-h0rse%27%3B&remember=on" },
  { url: "/comment", headers: FORM_TYPE, body: "text=I+%3C3+it%21+2+%3E+1+and+it%27s+cheap+--+buy+it" },
  { url: "/contact", headers: FORM_TYPE, body: "name=Miles+O%27Brien&message=Please+select+one+from+the+list" },
  { url: "/survey", headers: FORM_TYPE, body: "q1=1&q2=%22always%22+or+%22never%22&q3=" },
  { url: "/api/session", headers: JSON_TYPE, body: '{"username":"jane","password":"x\' y\\" z; -- 1=1"}' },
  { url: "/api/items", headers: JSON_TYPE, body: '{"name":"Shoe","price":{"$gt":5},"tags":["a","b"],"where":null}' },
  {
    url: "/api/graphql",
    headers: JSON_TYPE,
    body: '{"query":"query($id: ID!) { user(id: $id) { name } }","variables":{"id":"1"}}',
  },
  { url: "/api/notes", headers: JSON_TYPE, body: '{"md":"# Title\\n\\n* one\\n* two; see `ls` and /etc/hosts"}' },
  { url: "/api/html", headers: JSON_TYPE, body: '{"html":"<p class=\\"a\\">Hello <b>you</b><br/>now</p>"}' },
  { url: "/api/template", headers: JSON_TYPE, body: '{"text":"Dear {{name}}, you owe ${amount} <%= due %>"}' },
  { url: "/api/error", headers: JSON_TYPE, body: '{"stack":"java.lang.RuntimeException: no\\n at a.b(C.java:5)"}' },
  { url: "/api/log", headers: JSON_TYPE, body: '{"m":"process exited; child_process was slow; constructor called"}' },
  { url: "/api/cron", headers: JSON_TYPE, body: '{"schedule":"*/5 * * * *","url":"https://example.com/run.php"}' },
  { url: "/api/query", headers: JSON_TYPE, body: '{"note":"insert into the form; update your app; delete from list"}' },
  { url: "/api/avatar", headers: JSON_TYPE, body: '{"image":"data:image/png;base64,iVBORw0KGgoAAAANSUhEUg=="}' },
  { url: "/rpc", headers: { "content-type": "text/xml" }, body: '<?xml version="1.0"?><call><name>a</name></call>' },
  {
    url: "/action",
    headers: { "content-type": "text/plain;charset=UTF-8", "next-action": "7f9a" },
    body: '["$K1",{"id":"$undefined"}]',
  },
  {
    url: "/upload",
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: part('name="file"; filename="holiday photo (1).jpg"', "Content-Type: image/jpeg\r\n", "ÿØÿà"),
  },
  {
    url: "/upload",
    headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` },
    body: part('name="doc"; filename="notes..final.txt"', "Content-Type: text/plain\r\n", "a && b; c | d"),
  },
  {
    url: "/hook",
    headers: { ...JSON_TYPE, "user-agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)" },
    body: '{"id":"evt_1","type":"invoice.paid"}',
  },
  {
    url: "/hook",
    headers: { ...JSON_TYPE, "user-agent": "GitHub-Hookshot/044aadd" },
    body: '{"ref":"refs/heads/main","commits":[{"message":"Drop the table of contents; union of types"}]}',
  },
];

const OTHERS: readonly RequestAttributes[] = [
  { method: "OPTIONS", url: "/api/items", headers: { origin: "https://app.example.com" } },
  { method: "HEAD", url: "/big.iso", headers: { range: "bytes=0-1023" } },
  { method: "DELETE", url: "/api/items/42", headers: { authorization: "Bearer eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.sig" } },
  { method: "PUT", url: "/api/items/42", headers: { ...JSON_TYPE, "if-match": '"7"' }, body: '{"a":1}' },
  { url: "/video.mp4", headers: { range: "bytes=0-" } },
  { url: "/ws", headers: { upgrade: "websocket", connection: "Upgrade", "sec-websocket-version": "13" } },
  { url: "/", headers: { cookie: "sid=s%3Aabc.def%2Bghi; theme=dark; _ga=GA1.2.1.2; prefs={%22a%22:1}; empty=" } },
  { url: "/", headers: { referer: "https://www.example.org/search?q=union+select+a+plan&x=1%20or%20more" } },
  { url: "/", headers: { "x-forwarded-for": "203.0.113.7, 10.0.0.1", "x-forwarded-host": "www.example.com" } },
  { url: "/", headers: { "user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)" } },
  { url: "/", headers: { "accept-language": "de-DE,de;q=0.9,en;q=0.8", "save-data": "on" } },
  { method: "POST", url: "/stream", headers: { "transfer-encoding": "chunked" }, body: "x" },
];

export const ORDINARY_REQUESTS: readonly RequestAttributes[] = [
  ...PAGES.map((url) => ({ url })),
  ...POSTS.map((facts) => ({ method: "POST", ...facts })),
  ...OTHERS,
].map(({ headers, ...facts }: RequestAttributes, index) => ({
  ...facts,
  headers: {
    host: "www.example.com",
    "user-agent": BROWSERS[index % BROWSERS.length] as string,
    accept: "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8",
    "accept-encoding": "gzip, deflate, br",
    ...headers,
  },
}));

// Code that verifies a delivery, for the receiver to take over: HMAC-SHA256 over id, time and body (Standard Webhooks), without a library.

export interface Snippet {
  readonly language: string;
  readonly code: string;
}

export const SNIPPETS: readonly Snippet[] = [
  {
    language: "Node.js",
    code: `import { createHmac, timingSafeEqual } from "node:crypto";

// rawBody: the bytes as they came, before JSON is parsed. Names of headers are lower-case.
export function isGenuine(rawBody, headers, secret) {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures = "" } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const expected = createHmac("sha256", key).update(\`\${id}.\${time}.\`).update(rawBody).digest();
  return signatures.split(" ").some((one) => {
    const [version, text = ""] = one.split(",");
    const given = Buffer.from(text, "base64");
    return version === "v1" && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
`,
  },
  {
    language: "Python",
    code: `import base64, hashlib, hmac, time

# raw_body: the bytes as they came, before JSON is parsed.
def is_genuine(raw_body, headers, secret):
    sent, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not at.isdecimal() or abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    text = f"{sent}.{at}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest())
    return any(
        hmac.compare_digest(one.encode(), expected)
        for one in headers.get("webhook-signature", "").split(" ")
    )
`,
  },
  {
    language: "Go",
    code: `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// body: the bytes as they came, before JSON is parsed.
func IsGenuine(body []byte, header http.Header, secret string) bool {
	id, at := header.Get("webhook-id"), header.Get("webhook-timestamp")
	sent, err := strconv.ParseInt(at, 10, 64)
	if err != nil || time.Since(time.Unix(sent, 0)).Abs() > 5*time.Minute {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + at + "."))
	mac.Write(body)
	expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	for _, one := range strings.Split(header.Get("webhook-signature"), " ") {
		if hmac.Equal([]byte(one), expected) {
			return true
		}
	}
	return false
}
`,
  },
  {
    language: "Ruby",
    code: `require "base64"
require "openssl"

# raw_body: the bytes as they came, before JSON is parsed.
def genuine?(raw_body, headers, secret)
  id, time = headers["webhook-id"], headers["webhook-timestamp"]
  return false if (Time.now.to_i - time.to_i).abs > 300 # also without the header: nil.to_i is 0

  key = Base64.decode64(secret.delete_prefix("whsec_"))
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{time}.#{raw_body}")
  expected = "v1," + Base64.strict_encode64(digest)
  headers["webhook-signature"].to_s.split.any? do |one|
    one.bytesize == expected.bytesize && OpenSSL.fixed_length_secure_compare(one, expected)
  end
end
`,
  },
  {
    language: "PHP",
    code: `<?php
// $rawBody: the bytes as they came, before JSON is parsed. Names of headers are lower-case.
function isGenuine(string $rawBody, array $headers, string $secret): bool
{
    $id = $headers['webhook-id'] ?? '';
    $time = $headers['webhook-timestamp'] ?? '';
    if (abs(time() - (int) $time) > 300) {
        return false;
    }
    $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$rawBody", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
        if (hash_equals($expected, $one)) {
            return true;
        }
    }
    return false;
}
`,
  },
];

<?php
// Sends what PHP's streams send by default, and prints each response: status and text.
const FIELDS = ['comment' => 'Grüße & 3 < 4', 'user' => ['role' => 'guest'], 'ids' => [1, 2]];

function send(string $url, string $method = 'GET', string $header = '', string $content = ''): array {
    $http = ['method' => $method, 'header' => $header, 'content' => $content, 'ignore_errors' => true];
    $text = file_get_contents($url, false, stream_context_create(['http' => $http]));
    return [(int) explode(' ', $http_response_header[0])[1], $text];
}

$base = $argv[1];
echo json_encode([
    send($base . '?' . http_build_query(FIELDS), header: 'Cookie: session=abc; theme=dark'),
    send($base, 'POST', 'Content-Type: application/x-www-form-urlencoded', http_build_query(FIELDS)),
    send($base, 'POST', 'Content-Type: application/json', json_encode(FIELDS)),
]);

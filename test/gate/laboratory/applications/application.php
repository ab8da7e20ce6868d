<?php
// Tells what PHP reads of a request: superglobals, uploads, and the body as JSON. Run it with `php -S`.
$readings = [];

function add(string $kind, string $name, string $value): void {
    global $readings;
    // JSON has no infinity.
    $number = is_numeric($value) ? max(-1e300, min($value + 0, 1e300)) : null;
    $readings[] = [$kind, base64_encode($name), base64_encode($value), $number];
}

/** In forms a number in the place of a name may be the place in a list. */
function walk(string $kind, array $path, $value, bool $isForm = true): void {
    if (is_object($value)) {
        foreach (get_object_vars($value) as $key => $inner) walk($kind, [...$path, (string) $key], $inner, $isForm);
    } elseif (is_array($value)) {
        foreach ($value as $key => $inner) {
            $isItem = $isForm ? is_int($key) && $path : true;
            if ($isItem) walk($kind, $path, $inner, $isForm);
            if (!$isItem || !array_is_list($value)) walk($kind, [...$path, (string) $key], $inner, $isForm);
        }
    } else {
        add($kind, implode('.', $path), is_bool($value) ? var_export($value, true) : (string) $value);
    }
}

function isText(string $bytes): bool {
    return !str_contains($bytes, "\0") && preg_match('//u', $bytes) === 1;
}

function walkFiles(array $path, $name, $file): void {
    if (is_array($name)) {
        foreach ($name as $key => $inner) walkFiles(is_int($key) ? $path : [...$path, $key], $inner, $file[$key]);
        return;
    }
    if ($name === '') return;
    add('body', implode('.', $path) . '.filename', $name);
    $content = is_file($file) ? file_get_contents($file) : '';
    if (isText($content)) add('body', implode('.', $path), $content);
}

walk('query', [], $_GET);
walk('cookie', [], $_COOKIE);
walk('body', [], $_POST);
foreach ($_FILES as $key => $file) walkFiles([(string) $key], $file['name'], $file['tmp_name']);
foreach ($_SERVER as $key => $value) {
    if (str_starts_with($key, 'HTTP_')) add('header', str_replace('_', '-', strtolower(substr($key, 5))), $value);
}
$json = json_decode(file_get_contents('php://input'));
if ($json !== null) walk('body', [], $json, false);
header('Content-Type: application/json');
echo json_encode($readings);

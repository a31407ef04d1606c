<?php
// What a web server does before WordPress: it serves uploaded files, which are not in the folder of the program.
$path = rawurldecode(parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH));
$file = getenv('WORDPRESS_CONTENT') . substr($path, strlen('/wp-content'));
if (str_starts_with($path, '/wp-content/uploads/') && !str_contains($path, '..') && is_file($file)) {
    header('Content-Type: ' . mime_content_type($file));
    readfile($file);
    return true;
}
return false;

<?php
// The configuration of the WordPress of the tests. What differs between two of them is in the environment.
const DB_NAME = 'wordpress';
const DB_USER = 'root'; // the server of the database checks nobody; it listens to a socket in a folder of its own
const DB_PASSWORD = '';
const DB_CHARSET = 'utf8mb4';
define('DB_HOST', 'localhost:' . getenv('WORDPRESS_SOCKET'));
define('WP_HOME', getenv('WORDPRESS_URL'));
define('WP_SITEURL', WP_HOME);
define('WP_CONTENT_DIR', getenv('WORDPRESS_CONTENT'));
const WP_ENVIRONMENT_TYPE = 'local'; // application passwords without https
const WP_HTTP_BLOCK_EXTERNAL = true;
const DISABLE_WP_CRON = true;
const AUTOMATIC_UPDATER_DISABLED = true;
foreach (['AUTH', 'SECURE_AUTH', 'LOGGED_IN', 'NONCE'] as $name) {
    define("{$name}_KEY", "key of {$name}");
    define("{$name}_SALT", "salt of {$name}");
}
$table_prefix = 'wp_';
require_once ABSPATH . 'wp-settings.php';

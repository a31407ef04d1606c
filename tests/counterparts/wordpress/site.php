<?php
// Commands at a WordPress without its REST API, as wp-cli would have them:
//   php site.php WORDPRESS install '{"title": "…", "roles": ["editor"]}'   one user of each role, with an application password
//   php site.php WORDPRESS permalinks '/%postname%/'                     addresses of posts; '' is a site without readable ones
//   php site.php WORDPRESS posts                                         all posts, as they are stored
// Each prints one line of JSON.
[, $folder, $command, $argument] = $argv + [3 => ''];
$_SERVER['HTTP_HOST'] = parse_url(getenv('WORDPRESS_URL'), PHP_URL_HOST);

if ($command === 'install') {
    create_database('localhost', getenv('WORDPRESS_SOCKET'));
    define('WP_INSTALLING', true);
}
require "$folder/wp-load.php";
$answer = match ($command) {
    'install' => install(json_decode($argument, true)),
    'permalinks' => set_permalinks($argument),
    'posts' => array_map('stored', get_posts(['post_status' => 'any,trash', 'numberposts' => -1, 'order' => 'ASC'])),
};
echo json_encode(['answer' => $answer], JSON_THROW_ON_ERROR), "\n";

/** Create the empty database as soon as its server answers. */
function create_database(string $host, string $socket): void
{
    mysqli_report(MYSQLI_REPORT_ERROR | MYSQLI_REPORT_STRICT);
    for ($left = 600; ; $left--) {
        try {
            $server = new mysqli($host, 'root', '', null, null, $socket);
            break;
        } catch (mysqli_sql_exception $error) {
            if (!$left) {
                throw $error;
            }
            usleep(50_000);
        }
    }
    $server->query('create database wordpress character set utf8mb4 collate utf8mb4_unicode_520_ci');
}

function install(array $site): array
{
    require_once ABSPATH . 'wp-admin/includes/upgrade.php';
    add_filter('pre_wp_mail', '__return_true');
    add_filter('pre_http_request', fn() => new WP_Error('offline', 'It calls nobody while it is installed.'));
    wp_install($site['title'], 'root', 'root@example.com', true, '', 'password-of-root');
    wp_delete_post(1, true);
    set_permalinks('/%postname%/');
    return array_map('new_user', $site['roles']);
}

function new_user(string $role): array
{
    $login = "the-$role";
    $id = wp_insert_user(['user_login' => $login, 'user_pass' => "password-of-$login", 'role' => $role,
        'display_name' => ucfirst($role), 'user_email' => "$login@example.com"]);
    [$password] = WP_Application_Passwords::create_new_application_password($id, ['name' => 'Signalpost']);
    $password = WP_Application_Passwords::chunk_password($password);
    return ['id' => $id, 'login' => $login, 'password' => "password-of-$login", 'app_password' => $password];
}

function set_permalinks(string $structure): bool
{
    global $wp_rewrite;
    $wp_rewrite->set_permalink_structure($structure);
    $wp_rewrite->flush_rules(false);
    return true;
}

function stored(WP_Post $post): array
{
    $names = fn(string $taxonomy) => wp_get_post_terms($post->ID, $taxonomy, ['fields' => 'names']);
    return [
        'id' => $post->ID, 'author' => (int) $post->post_author, 'status' => $post->post_status,
        'title' => $post->post_title, 'content' => $post->post_content, 'excerpt' => $post->post_excerpt,
        'slug' => $post->post_name, 'categories' => $names('category'), 'tags' => $names('post_tag'),
        'featured' => (int) get_post_thumbnail_id($post), 'blocks' => array_values(array_filter(
            array_column(parse_blocks($post->post_content), 'blockName'))),
    ];
}

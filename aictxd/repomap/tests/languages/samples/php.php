<html><body>
<?php
declare(strict_types=1);

namespace App\Models;

use App\Base;
use App\Contracts\{Runnable, Other as Alias};
use function App\helper;
require_once __DIR__ . '/vendor.php';
include 'config.php';

const LIMIT = 10, OTHER = 2;
define('GLOBAL_LIMIT', 3);

/**
 * A model. More.
 *
 * @package App
 */
#[Entity]
final class Model extends Base implements Runnable
{
    use SomeTrait;
    public const TYPE = 'x';
    private ?string $name = null;

    /** Makes it. */
    public function __construct(private int $a) {}
    abstract protected function run(): void;
    private static function hidden(int $a): int { return 1; }
    public function testWorks() {}
}

interface Shape { public function area(): float; }
trait Draws { function draw() {} }
enum Colour: string {
    case Red = 'r';
    case Green = 'g';
    public function label(): string { return ''; }
}

/** Adds. */
function add(int $a, int $b): int
{
    function nested() {}
    return $a + $b;
}
$handler = function ($x) { return $x; };
if (!function_exists('later')) {
    function later() {}
}
?>
</body></html>

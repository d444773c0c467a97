// Builds the web inbox into web/dist, unless it was built from the same sources. Runs after `npm ci` and before each
// start. Plain JavaScript, since any Node that npm uses may run this file; Vite runs on the pinned Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

const root = fileURLToPath(new URL('../', import.meta.url));
const web = join(root, 'web');
const dist = join(web, 'dist');
const hashFile = join(dist, '.hash');
const vite = join(root, 'node_modules/vite/bin/vite.js');
const pinnedNode = join(root, 'node_modules/node/bin/node');

const hash = hashOfSources();
if (!existsSync(hashFile) || readFileSync(hashFile, 'utf8') !== hash) {
  if (existsSync(vite)) build();
  else if (!existsSync(join(dist, 'index.html'))) {
    console.error('The web inbox is not built, and Vite is not installed: only the API will be served.');
  }
}

function hashOfSources() {
  const sources = readdirSync(web, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && !isApart(entry.parentPath) && !/\.test\.tsx?$|\.d\.ts$|^vitest/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const sum = createHash('sha256');
  for (const path of [...sources, join(root, 'package-lock.json')]) {
    sum.update(relative(root, path)).update('\0').update(readFileSync(path)).update('\0');
  }
  return sum.digest('hex');
}

/** Whether the page does not come from a folder: the built page, and what its tests share. */
function isApart(folder) {
  return [dist, join(web, 'test')].some((apart) => folder === apart || folder.startsWith(join(apart, '/')));
}

function build() {
  const node = existsSync(pinnedNode) ? pinnedNode : process.execPath;
  const { status } = spawnSync(node, [vite, 'build', '--logLevel', 'warn', web], { cwd: web, stdio: 'inherit' });
  if (status !== 0) {
    console.error('The web inbox could not be built.');
    process.exit(1);
  }
  writeServiceWorker();
  compress();
  writeFileSync(hashFile, hash);
}

/**
 * Names the files of the page in the service worker. Leaves out what few visits need: the dictionary of the password
 * strength, which is as large as everything else, and the emoji of all languages.
 */
function writeServiceWorker() {
  const assets = readdirSync(join(dist, 'assets')).filter(
    (name) => !/^(?:password-strength|_virtual_emoji)/.test(name),
  );
  const others = readdirSync(dist).filter((name) => /\.(svg|png|webmanifest)$/.test(name));
  const files = [...assets.map((name) => `/assets/${name}`), ...others.map((name) => `/${name}`)].sort();
  const shell = JSON.stringify({ version: hash.slice(0, 16), files });
  writeFileSync(join(dist, 'sw.js'), `const shell = ${shell};\n${readFileSync(join(web, 'sw.js'), 'utf8')}`);
}

/** Level 9 takes a tenth of the time of level 11, for 8 % more bytes. */
function compress() {
  const assets = join(dist, 'assets');
  for (const name of readdirSync(assets)) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 };
    writeFileSync(join(assets, `${name}.br`), brotliCompressSync(readFileSync(join(assets, name)), { params }));
  }
}

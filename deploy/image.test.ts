import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { freePort } from '../test/harness/service-process.ts';

const root = join(import.meta.dirname, '..');
const dockerfile = readFileSync(join(import.meta.dirname, 'Dockerfile'), 'utf8');
const place = mkdtempSync(join(tmpdir(), 'kontor-image-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

test('the files of the image are enough, and may be read-only', async () => {
  const app = join(place, 'app');
  copyImage(app);
  // The base, debian:trixie-slim, adds about 79 MB. The holidays of the world and their astronomy are 35 MB of it.
  expect(megabytesOf(app)).toBeLessThan(285);
  // Some load only when a feature is used, such as a bucket or a collector.
  const packages = Object.keys(packageJson.dependencies)
    .filter((name) => name !== 'node')
    .map((name) => (name === '@kontor/mail' ? `${name}/parse.ts` : name));
  const script = `for (const name of ${JSON.stringify(packages)}) await import(name);`;
  const node = join(app, 'node_modules/node/bin/node');
  const loaded = spawnSync(node, ['--input-type=module', '-e', script], { cwd: app, encoding: 'utf8' });
  expect(loaded).toMatchObject({ status: 0, stderr: '' });
  const port = await freePort();
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    DATA_DIR: join(place, 'data'),
    NODE_ENV: 'production',
  };
  const command = [join(app, 'node_modules/node/bin/node'), 'scripts/start.js'];
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) for (const folder of readdirSync(app)) chmodSync(join(app, folder), 0o555);
  // Root may write everywhere, except on a read-only file system.
  const readOnly = `mount --bind '${app}' '${app}' && mount -o remount,bind,ro '${app}' && cd '${app}' && exec ${command.join(' ')}`;
  const [program = '', ...parameters] = isRoot ? ['unshare', '--mount', 'sh', '-c', readOnly] : command;
  const service = spawn(program, parameters, { cwd: app, env: { PATH: process.env.PATH, ...environment } });
  let output = '';
  for (const stream of [service.stdout, service.stderr]) stream.on('data', (text) => (output += text));
  const ended = once(service, 'exit');
  const answer = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
  while (!(await answer('/readyz'))?.ok) {
    if (service.exitCode !== null) throw new Error(output);
    await sleep(100);
  }
  expect(await (await answer('/'))?.text()).toContain('<title>');
  const health = /CMD \["node_modules.node.bin.node", "-e", "(.*)"\]/.exec(dockerfile)?.[1] ?? '';
  expect(spawnSync(command[0] ?? '', ['-e', health], { env: environment }).status).toBe(0);
  expect(spawnSync(command[0] ?? '', ['-e', health], { env: { PORT: '9' } }).status).toBe(1);
  service.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

/** The paths that the Dockerfile copies, with the packages that `npm prune --omit=dev` leaves. */
function copyImage(app: string): void {
  const copied = [...dockerfile.matchAll(/^COPY --from=build ((?:\/app\/\S+ )+)\S+$/gm)]
    .flatMap((match) => (match[1] ?? '').trim().split(' '))
    .map((path) => path.replace('/app/', ''));
  expect(copied).toContain('src');
  for (const path of copied.filter((each) => each !== 'node_modules')) {
    mkdirSync(join(app, path, '..'), { recursive: true });
    cpSync(join(root, path), join(app, path), { recursive: true });
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean }>;
  };
  // Hard links where the file system allows them: the packages have 790 MB. The script below changes no linked file.
  const paths = [join(root, 'node_modules'), join(app, 'node_modules')];
  if (spawnSync('cp', ['-al', ...paths]).status !== 0) execFileSync('cp', ['-a', ...paths]);
  const gone = Object.keys(packages).filter((path) => packages[path]?.dev);
  const caches = readdirSync(join(app, 'node_modules')).filter((name) => /^\.(cache|vite|vitest)/.test(name));
  for (const path of [...gone, ...caches.map((name) => join('node_modules', name))])
    rmSync(join(app, path), { recursive: true, force: true });
  execFileSync('sh', [join(import.meta.dirname, 'shrink.sh'), join(app, 'node_modules')]);
}

/** The sum of the sizes of all files in MB, as registries count an unpacked image. */
function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0) / 1e6;
}

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keptCertificate } from '../src/ground/platform/kept-certificate.ts';
import { freePort } from '../test/harness/service-process.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(import.meta.dirname, path), 'utf8');
const dockerfile = read('Dockerfile');
const place = mkdtempSync(join(tmpdir(), 'kontor-deploy-'));
afterAll(() => rmSync(place, { recursive: true, force: true }));

const has = (program: string) => spawnSync('which', [program]).status === 0;

test('the image runs as a plain user, and checks its health', () => {
  expect(dockerfile).toMatch(/^USER 10001$/m);
  expect(dockerfile).toMatch(/^VOLUME \/data$/m);
  expect(dockerfile).toMatch(/HEALTHCHECK[\s\S]*\/livez/);
  expect(dockerfile).not.toMatch(/:latest/);
});

test('every setting of the deployments is documented', () => {
  const settings = readFileSync(join(root, 'docs/settings.md'), 'utf8');
  const names = [
    ...(/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').matchAll(/(\w+)=/g),
    ...read('compose.yaml').matchAll(/^ {6}([A-Z_]+):/gm),
    ...read('kontor.service').matchAll(/\b([A-Z_]{4,})=/g),
    ...read('kontor-backup.service').matchAll(/\b([A-Z_]{4,})=/g),
    ...read('helm/kontor/values.yaml').matchAll(/^ {2}([A-Z_]+):/gm),
    ...read('helm/kontor/templates/api.yaml').matchAll(/name: ([A-Z_]+),/g),
  ].map((match) => match[1] ?? '');
  expect(names).toContain('DATA_DIR');
  const others = new Set(names.filter((name) => !settings.includes(`\`${name}\``)));
  // Node's own, those of the image of PostgreSQL, and that of the backup's unit.
  expect([...others].sort()).toEqual([
    'NODE_COMPILE_CACHE',
    'NODE_ENV',
    'POSTGRES_DB',
    'POSTGRES_PASSWORD',
    'POSTGRES_USER',
  ]);
});

test('the service holds no secret of the backup, and both units are closed off', () => {
  const [service, backup] = ['kontor.service', 'kontor-backup.service'].map(read);
  expect(service).not.toMatch(/kontor-backup\.env/);
  expect(backup).toMatch(/^EnvironmentFile=-\/etc\/kontor-backup\.env$/m);
  const closed = ['CapabilityBoundingSet=', 'SystemCallFilter=@system-service', 'UMask=0077', 'ProtectSystem=strict'];
  for (const line of closed) for (const unit of [service, backup]) expect(unit?.split('\n')).toContain(line);
  // Each service of the compose file gives up its rights, by itself or by the common part.
  const compose = read('compose.yaml');
  expect(compose.match(/cap_drop: \[ALL]/g)).toHaveLength(2);
  expect(compose.match(/no-new-privileges:true/g)).toHaveLength(2);
});

const units = ['kontor.service', 'kontor-backup.service', 'kontor-backup.timer'];

test.skipIf(!has('systemd-analyze')).each(units)('systemd accepts %s', (name) => {
  for (const each of units) writeFileSync(join(place, each), read(each).replace(/^(ExecStart=)\S+/m, '$1/bin/sh'));
  const { stderr, status } = spawnSync('systemd-analyze', ['verify', join(place, name)], { encoding: 'utf8' });
  expect({ status, ours: stderr.split('\n').filter((line) => line.includes('kontor')) }).toEqual({
    status: 0,
    ours: [],
  });
});

test('the nightly backup runs a command that exists', async () => {
  const [, line = ''] = /^ExecStart=\S+ (.*)$/m.exec(read('kontor-backup.service')) ?? [];
  const [main = '', ...parameters] = line.replace(/\$\{BACKUP_TO\}/, join(place, 'backups')).split(' ');
  const { stderr } = spawnSync(process.execPath, [join(root, main), ...parameters], {
    encoding: 'utf8',
    env: {
      DATA_DIR: join(place, 'nothing'),
      DATABASE_URL: 'postgres://127.0.0.1:9/x',
      AUTH_SECRET: 'a'.repeat(32),
      ENCRYPTION_KEY: 'e'.repeat(32),
    },
  });
  // It gets as far as the database, which is not there.
  expect(stderr).toContain('The PostgreSQL of DATABASE_URL cannot be used');
});

test.skipIf(!has('nginx'))('nginx passes requests on', async () => {
  const folder = join(place, 'nginx');
  mkdirSync(folder);
  const certificate = await keptCertificate(folder, { name: 'tls.pem', host: 'desk.example.org' });
  const port = await freePort();
  const plainPort = await freePort();
  const site = read('nginx.conf')
    .replace(/ssl_certificate \S+/, `ssl_certificate ${certificate};`)
    .replace(/ssl_certificate_key \S+/, `ssl_certificate_key ${certificate};`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('listen 80;', `listen 127.0.0.1:${plainPort};`)
    .replace(/listen \[::].*\n/g, '');
  writeFileSync(join(folder, 'site.conf'), site);
  writeFileSync(
    join(folder, 'main.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`,
  );
  const nginx = spawn('nginx', ['-c', join(folder, 'main.conf')]);
  try {
    // Nothing listens behind it, so nginx itself answers.
    await expect.poll(() => statusOf(port)).toBe(502);
    expect(await statusOf(port, `/${'a'.repeat(60_000)}`)).toBe(502);
    const plain = await fetch(`http://127.0.0.1:${plainPort}/t/1?a=b`, { redirect: 'manual' });
    expect([plain.status, plain.headers.get('location')]).toEqual([301, 'https://127.0.0.1/t/1?a=b']);
  } finally {
    nginx.kill();
  }
});

function statusOf(port: number, path = '/'): Promise<number | undefined> {
  return new Promise((resolve) => {
    get({ port, path, host: '127.0.0.1', rejectUnauthorized: false }, (answer) => resolve(answer.statusCode)).on(
      'error',
      () => resolve(undefined),
    );
  });
}

test.skipIf(!has('helm'))('helm draws the chart', () => {
  const chart = join(import.meta.dirname, 'helm/kontor');
  const backup = ['backup.enabled=true', 'backup.to=s3://backups', 'backup.existingSecret=b'];
  const values = [
    'ingress.enabled=true',
    'networkPolicy.enabled=true',
    'networkPolicy.from[0].ipBlock.cidr=10.1.0.0/16',
    ...backup,
    'settings.WEB_CONCURRENCY=4',
    'settings.ATTACHMENT_MAX_BYTES=9000000',
  ];
  const drawn = execFileSync('helm', ['template', 'desk', chart, '--set', values.join()], { encoding: 'utf8' });
  for (const kind of ['Deployment', 'Job', 'CronJob', 'Service', 'PodDisruptionBudget', 'NetworkPolicy', 'Ingress'])
    expect(drawn).toContain(`kind: ${kind}\n`);
  // Kubernetes refuses settings that are numbers.
  expect(drawn).toMatch(/- name: WEB_CONCURRENCY\n +value: "4"\n/);
  expect(drawn).toMatch(/- name: ATTACHMENT_MAX_BYTES\n +value: "9000000"\n/);
  expect(drawn).toMatch(/preStop:/);
  expect(drawn).toMatch(/name: STORAGE_URL\n +valueFrom:/);
  const [, nightly = ''] = /^(kind: CronJob\n.*?)^---$/ms.exec(drawn) ?? [];
  const words = [...nightly.matchAll(/^ {16}- "?([^"\n]*?)"?$/gm)].map((match) => match[1]);
  expect(words.slice(0, 5)).toEqual(['operate.js', 'backup', 's3://backups', '--keep', '14']);
  for (const name of ['BACKUP_PASSPHRASE', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'])
    expect(nightly).toContain(`valueFrom: { secretKeyRef: { name: b, key: ${name} } }`);
});

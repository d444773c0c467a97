import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { StartError } from '../lib/start-error.ts';
import { readConfig } from './config.ts';

describe('settings', () => {
  test.each(['nope', 'https://app.example/path', 'https://app.example/', 'https://App.example', 'null', 'file://x'])(
    'refuse %s as an origin',
    (origin) => {
      const read = () => readConfig({ DATA_DIR: scratchFolder(), CORS_ORIGINS: `https://app.example,${origin}` });
      expect(read).toThrow(`CORS_ORIGINS: "${origin}" is not an origin`);
    },
  );

  test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y', '/proc/self'])(
    'refuse %s as the data folder, with and without a secret to keep there',
    (folder) => {
      for (const secret of [undefined, 'x'.repeat(32)])
        expect(() => readConfig({ DATA_DIR: folder, AUTH_SECRET: secret })).toThrow(/no folder can be made in \/proc/);
    },
  );

  test('come from files too, and name a file that cannot be read once', () => {
    const folder = scratchFolder();
    const path = join(folder, 'secret');
    writeFileSync(path, `${'s'.repeat(40)}\n`);
    const { authSecret } = readConfig({ DATA_DIR: folder, AUTH_SECRET_FILE: path });
    expect(Buffer.from(authSecret).toString()).toBe('s'.repeat(40));
    const missing = join(folder, 'missing');
    const read = () => readConfig({ DATA_DIR: folder, METRICS_TOKEN_FILE: missing });
    expect(read).toThrow(`The settings have faults:\n  METRICS_TOKEN_FILE: ${missing} cannot be read: ENOENT`);
  });

  test('take origins as browsers send them', () => {
    const origins = ['https://app.example', 'http://localhost:5173', 'capacitor://localhost', '*'];
    expect(readConfig({ DATA_DIR: scratchFolder(), CORS_ORIGINS: origins.join(', ') }).corsOrigins).toEqual(origins);
  });

  test('have defaults with which the service starts', () => {
    const config = readConfig({ DATA_DIR: scratchFolder() });
    expect(config).toMatchObject({
      port: 3000,
      publicUrl: 'http://localhost:3000',
      database: { kind: 'embedded' },
      roles: { api: true, worker: true },
      isEmailVerificationRequired: false,
      registration: 'open',
      mail: { kind: 'outbox' },
    });
    expect(config.warnings.join()).toContain('EMAIL_VERIFICATION is off');
  });

  test.each([
    [{}, '127.0.0.1'],
    [{ PUBLIC_URL: 'http://localhost:8080' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'http://[::1]:8080' }, '127.0.0.1'],
    [{ PUBLIC_URL: 'https://desk.example.org' }, '0.0.0.0'],
    [{ PUBLIC_URL: 'https://desk.example.org', HOST: '10.0.0.7' }, '10.0.0.7'],
    [{ HOST: '0.0.0.0' }, '0.0.0.0'],
  ])('with %o the service listens on %s', (environment, host) => {
    expect(readConfig({ DATA_DIR: scratchFolder(), ...environment }).host).toBe(host);
  });

  test('warn of open registration when other machines can reach the service', () => {
    const warningsOf = (environment: object) =>
      readConfig({ DATA_DIR: scratchFolder(), ...environment }).warnings.join();
    expect(warningsOf({ HOST: '0.0.0.0' })).toContain('REGISTRATION is open');
    expect(warningsOf({ HOST: '0.0.0.0', REGISTRATION: 'first-run' })).not.toContain('REGISTRATION');
    expect(warningsOf({})).not.toContain('REGISTRATION');
  });

  test('report every fault at once, without secrets', () => {
    const faulty = {
      DATA_DIR: scratchFolder(),
      PORT: '99999',
      PUBLIC_URL: 'ftp://x',
      ROLES: 'api,cook',
      EMAIL_VERIFICATION: 'maybe',
      AUTH_SECRET: 'short',
      ENCRYPTION_KEY: `${'x'.repeat(32)},shorter`,
      PASSWORD_MIN_SCORE: '5',
      DATABASE_URL: 'mysql://user:hunter2@host',
      MAIL_FROM: 'nobody',
      LOG_LEVEL: 'loud',
      TRUST_PROXY: 'proxy.example',
    };
    let message = '';
    try {
      readConfig(faulty);
    } catch (error) {
      expect(error).toBeInstanceOf(StartError);
      message = (error as Error).message;
    }
    for (const name of [
      'PORT',
      'PUBLIC_URL',
      'ROLES',
      'EMAIL_VERIFICATION',
      'AUTH_SECRET',
      'ENCRYPTION_KEY',
      'PASSWORD_MIN_SCORE',
      'DATABASE_URL',
      'MAIL_FROM',
      'LOG_LEVEL',
      'TRUST_PROXY',
    ]) {
      expect(message).toContain(name);
    }
    expect(message).not.toContain('hunter2');
    expect(message).not.toContain('shorter');
  });

  test('an empty value counts as unset', () => {
    expect(readConfig({ DATA_DIR: scratchFolder(), PORT: '', SMTP_URL: ' ' })).toMatchObject({
      port: 3000,
      mail: { kind: 'outbox' },
    });
  });

  test('an external database requires secrets in the settings', () => {
    const read = () => readConfig({ DATA_DIR: scratchFolder(), DATABASE_URL: 'postgres://h/d' });
    expect(read).toThrow('AUTH_SECRET');
    expect(read).toThrow('ENCRYPTION_KEY');
  });

  test('a mail server turns e-mail verification on', () => {
    expect(readConfig({ DATA_DIR: scratchFolder(), SMTP_URL: 'smtp://mail.example' }).isEmailVerificationRequired).toBe(
      true,
    );
  });

  test('the encryption key is generated once and kept, unless the settings give keys', () => {
    const folder = scratchFolder();
    const made = readConfig({ DATA_DIR: folder }).encryptionKeys;
    expect(made).toHaveLength(1);
    expect(readConfig({ DATA_DIR: folder }).encryptionKeys).toEqual(made);
    const given = ['n'.repeat(32), 'o'.repeat(40)];
    const { encryptionKeys } = readConfig({ DATA_DIR: folder, ENCRYPTION_KEY: given.join(', ') });
    expect(encryptionKeys.map((key) => Buffer.from(key).toString())).toEqual(given);
  });

  test('a score of 0 is a limit, an empty score is not', () => {
    const score = (text: string) =>
      readConfig({ DATA_DIR: scratchFolder(), PASSWORD_MIN_SCORE: text }).passwordMinScore;
    expect([score('0'), score('4'), score(' ')]).toEqual([0, 4, undefined]);
  });

  test('the secret is generated once and kept', () => {
    const folder = scratchFolder();
    const first = readConfig({ DATA_DIR: folder }).authSecret;
    expect(readConfig({ DATA_DIR: folder }).authSecret).toEqual(first);
  });

  test.each([
    ['Support <support@example.org>', { name: 'Support', email: 'support@example.org' }],
    ['"Our Support" <support@example.org>', { name: 'Our Support', email: 'support@example.org' }],
    ['support@example.org', { name: null, email: 'support@example.org' }],
  ])('MAIL_FROM %s', (text, address) => {
    expect(readConfig({ DATA_DIR: scratchFolder(), MAIL_FROM: text }).mailFrom).toEqual(address);
  });

  test.each([
    ['25', { host: '0.0.0.0', port: 25, tls: undefined }],
    ['127.0.0.1:2525', { host: '127.0.0.1', port: 2525, tls: undefined }],
    ['smtp://[::1]:25', { host: '::1', port: 25, tls: undefined }],
    [
      'mail.example:25?cert=/c.pem&key=/k.pem',
      { host: 'mail.example', port: 25, tls: { certPath: '/c.pem', keyPath: '/k.pem' } },
    ],
  ])('SMTP_LISTEN %s', (text, listen) => {
    expect(readConfig({ DATA_DIR: scratchFolder(), SMTP_LISTEN: text }).smtpListen).toEqual(listen);
  });

  test.each(['mail.example', 'smtp://', '25?cert=/c.pem', '99999', 'http://a:25'])(
    'SMTP_LISTEN %s is refused',
    (text) => {
      expect(() => readConfig({ DATA_DIR: scratchFolder(), SMTP_LISTEN: text })).toThrow('SMTP_LISTEN');
    },
  );

  test('files are kept in the data folder unless STORAGE_URL names another place', () => {
    const folder = scratchFolder();
    const storageOf = (url?: string) => readConfig({ DATA_DIR: folder, STORAGE_URL: url }).storage;
    expect(storageOf()).toEqual({ kind: 'disk', root: join(folder, 'blobs') });
    expect(storageOf('file:///var/lib/kontor/my%20files')).toEqual({ kind: 'disk', root: '/var/lib/kontor/my files' });
    const s3 = { kind: 's3', bucket: 'my-bucket', prefix: '', endpoint: undefined, region: 'us-east-1' };
    expect(storageOf('s3://my-bucket')).toEqual(s3);
    expect(storageOf('s3://my-bucket/a/b/?endpoint=https://s3.example:9000&region=eu-west-1')).toEqual({
      ...s3,
      prefix: 'a/b',
      endpoint: 'https://s3.example:9000',
      region: 'eu-west-1',
    });
  });

  test.each([
    'file://relative',
    's3://',
    's3://My_Bucket',
    's3://bucket?endpoint=s3.example',
    'https://bucket.example',
  ])('STORAGE_URL %s is refused', (text) => {
    expect(() => readConfig({ DATA_DIR: scratchFolder(), STORAGE_URL: text })).toThrow('STORAGE_URL');
  });

  test('an external database with files in the data folder gets a warning', () => {
    const secret = 'x'.repeat(32);
    const shared = {
      DATA_DIR: scratchFolder(),
      DATABASE_URL: 'postgres://h/d',
      AUTH_SECRET: secret,
      ENCRYPTION_KEY: secret,
    };
    const warned = /STORAGE_URL/;
    expect(readConfig(shared).warnings.join()).toMatch(warned);
    expect(readConfig({ ...shared, STORAGE_URL: 's3://bucket' }).warnings.join()).not.toMatch(warned);
    expect(readConfig({ ...shared, STORAGE_URL: 'file:///srv/shared' }).warnings.join()).not.toMatch(warned);
    expect(readConfig({ DATA_DIR: scratchFolder() }).warnings.join()).not.toMatch(warned);
  });
});

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StartError } from '../lib/start-error.ts';
import { readConfig } from './config.ts';

const dataDir = () => mkdtempSync(join(tmpdir(), 'kontor-config-'));

describe('settings', () => {
  test.each(['nope', 'https://app.example/path', 'https://app.example/', 'https://App.example', 'null', 'file://x'])(
    'refuse %s as an origin',
    (origin) => {
      const read = () => readConfig({ DATA_DIR: dataDir(), CORS_ORIGINS: `https://app.example,${origin}` });
      expect(read).toThrow(`CORS_ORIGINS: "${origin}" is no origin`);
    },
  );

  test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y', '/proc/self'])(
    'refuse %s as the data folder, with and without a secret to keep there',
    (folder) => {
      for (const secret of [undefined, 'x'.repeat(32)])
        expect(() => readConfig({ DATA_DIR: folder, AUTH_SECRET: secret })).toThrow(/no folder can be made in \/proc/);
    },
  );

  test('take origins as browsers send them', () => {
    const origins = ['https://app.example', 'http://localhost:5173', 'capacitor://localhost', '*'];
    expect(readConfig({ DATA_DIR: dataDir(), CORS_ORIGINS: origins.join(', ') }).corsOrigins).toEqual(origins);
  });

  test('have defaults that start alone', () => {
    const config = readConfig({ DATA_DIR: dataDir() });
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

  test('tell every fault at once, and none of them a secret', () => {
    const faulty = {
      DATA_DIR: dataDir(),
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
    expect(readConfig({ DATA_DIR: dataDir(), PORT: '', SMTP_URL: ' ' })).toMatchObject({
      port: 3000,
      mail: { kind: 'outbox' },
    });
  });

  test('with a database of one’s own a secret of one’s own is required', () => {
    const read = () => readConfig({ DATA_DIR: dataDir(), DATABASE_URL: 'postgres://h/d' });
    expect(read).toThrow('AUTH_SECRET');
    expect(read).toThrow('ENCRYPTION_KEY');
  });

  test('verification is on with a mail server', () => {
    expect(readConfig({ DATA_DIR: dataDir(), SMTP_URL: 'smtp://mail.example' }).isEmailVerificationRequired).toBe(true);
  });

  test('a key to encrypt with is made once and kept, or one or several are given', () => {
    const folder = dataDir();
    const made = readConfig({ DATA_DIR: folder }).encryptionKeys;
    expect(made).toHaveLength(1);
    expect(readConfig({ DATA_DIR: folder }).encryptionKeys).toEqual(made);
    const given = ['n'.repeat(32), 'o'.repeat(40)];
    const { encryptionKeys } = readConfig({ DATA_DIR: folder, ENCRYPTION_KEY: given.join(', ') });
    expect(encryptionKeys.map((key) => Buffer.from(key).toString())).toEqual(given);
  });

  test('a score of 0 is a limit too, an empty one is none', () => {
    const score = (text: string) => readConfig({ DATA_DIR: dataDir(), PASSWORD_MIN_SCORE: text }).passwordMinScore;
    expect([score('0'), score('4'), score(' ')]).toEqual([0, 4, undefined]);
  });

  test('the secret is made once and kept', () => {
    const folder = dataDir();
    const first = readConfig({ DATA_DIR: folder }).authSecret;
    expect(readConfig({ DATA_DIR: folder }).authSecret).toEqual(first);
  });

  test.each([
    ['Support <support@example.org>', { name: 'Support', email: 'support@example.org' }],
    ['"Our Support" <support@example.org>', { name: 'Our Support', email: 'support@example.org' }],
    ['support@example.org', { name: null, email: 'support@example.org' }],
  ])('MAIL_FROM %s', (text, address) => {
    expect(readConfig({ DATA_DIR: dataDir(), MAIL_FROM: text }).mailFrom).toEqual(address);
  });
});

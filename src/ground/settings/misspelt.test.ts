import { expect, test } from 'vitest';
import { scratchFolder } from '../../../test/harness/scratch-folder.ts';
import { readConfig } from './config.ts';

const warningsOf = (environment: Record<string, string>) =>
  readConfig({ DATA_DIR: scratchFolder(), SMTP_URL: 'smtp://localhost', ...environment }).warnings;

test.each([
  ['REGISTRATON', 'REGISTRATION'],
  ['REGISTRATIONS', 'REGISTRATION'],
  ['TRUST_PORXY', 'TRUST_PROXY'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
  ['PUBLIC_URI', 'PUBLIC_URL'],
  ['ROLE', 'ROLES'],
  ['DATABASEURL', 'DATABASE_URL'],
  ['registration', 'REGISTRATION'],
  ['WEB-CONCURRENCY', 'WEB_CONCURRENCY'],
  ['AUTH_SECRET_FIEL', 'AUTH_SECRET_FILE'],
])('%s is told with the near name', (name, meant) => {
  expect(warningsOf({ [name]: 'x' })).toEqual([`${name} is not a setting: did you mean ${meant}?`]);
});

test('variables of other programs, and empty ones, are not warned of', () => {
  const others = [
    'PATH', 'HOME', 'HOSTNAME', 'USER', 'TERM', 'PWD', 'LANG', 'SHELL', 'SHLVL', 'EDITOR', 'MAIL', 'PS1', 'TMPDIR',
    'LOGNAME', 'NODE_ENV', 'NODE_OPTIONS', 'NODE_COMPILE_CACHE', 'AWS_ACCESS_KEY_ID', 'AWS_REGION', 'BACKUP_PASSPHRASE',
    'BACKUP_TO', 'POSTGRES_PASSWORD', 'KONTOR_PORT', 'KONTOR_SERVICE_HOST', 'KONTOR_PORT_80_TCP', 'JOURNAL_STREAM',
    'INVOCATION_ID', 'npm_config_user_agent', 'npm_lifecycle_event', 'http_proxy', 'no_proxy', 'INIT_CWD', 'COLOR',
    'DISPLAY', 'OLDPWD', 'SSH_AUTH_SOCK', 'XDG_DATA_DIRS', 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'CI', 'HOSTTYPE',
  ]; // biome-ignore format: a name a line would take forty lines
  expect(warningsOf(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([]);
  expect(warningsOf({ REGISTRATON: '' })).toEqual([]);
});

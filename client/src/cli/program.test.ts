import { expect, test } from 'vitest';
import { programOf } from './program.ts';

test.each([
  ['in a clone, by npx', { npm_command: 'exec' }, '/srv/kontor/node_modules/.bin/kontor', 'npx kontor'],
  ['fetched by npx', { npm_command: 'exec' }, '/home/ada/.npm/_npx/1f/node_modules/.bin/kontor', 'npx @kontor/client'],
  ['fetched on Windows', { npm_command: 'exec' }, 'C:\\npm\\_npx\\1f\\kontor.js', 'npx @kontor/client'],
  ['installed for all', {}, '/usr/bin/kontor', 'kontor'],
  ['from a script of npm', { npm_command: 'run-script' }, '/srv/node_modules/.bin/kontor', 'kontor'],
])('messages name the command %s as the person typed it', (_how, environment, script, program) => {
  expect(programOf(environment, script)).toBe(program);
});

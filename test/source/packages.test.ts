import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { packageFaults } from './packages.ts';
import { readSources } from './sources.ts';

const read = async (path: string) => JSON.parse(await readFile(join(import.meta.dirname, '../..', path), 'utf8'));

describe.each(['client', 'emulators', 'mail'])('the package %s', (folder) => {
  test('imports nothing that its package.json does not name', async () => {
    const { dependencies } = await read(`${folder}/package.json`);
    const files = (await readSources(folder)).filter(({ path }) => !/\.test\.ts$|\/test\//.test(path));
    expect(files.length).toBeGreaterThan(5);
    expect(packageFaults({ folder, dependencies: Object.keys(dependencies) }, files)).toEqual([]);
  });

  test('names the versions that the service names, so that npm installs one copy of each', async () => {
    const root = await read('package.json');
    const { dependencies } = await read(`${folder}/package.json`);
    expect({ ...root.devDependencies, ...root.dependencies }).toMatchObject(dependencies);
  });
});

test.each<[string, string, RegExp]>([
  ['a file of the service', `import { a } from '../src/mail/parse.ts';`, /imports src\/mail\/parse\.ts: emulators is/],
  ['a type of the service', `import type { A } from '../src/mail/mail.ts';`, /nothing of the tree around it/],
  ['a lazy import', `const a = await import('../../src/app.ts');`, /imports src\/app\.ts/],
  ['a package that others have', `import pg from 'pg';`, /imports pg, which emulators\/package\.json does not name/],
  [
    'a file of such a package',
    `import { a } from '@aws-sdk/lib-storage/a.js';`,
    /imports @aws-sdk\/lib-storage\/a\.js/,
  ],
])('%s is reported', (_name, text, sentence) => {
  const own = { folder: 'emulators', dependencies: ['nodemailer', '@scope/named'] };
  expect(packageFaults(own, [{ path: 'emulators/mail.ts', text }])).toEqual([expect.stringMatching(sentence)]);
});

test('files of the package, its dependencies and Node are not reported', () => {
  const text =
    `import { a } from './read-mail.ts';\nimport { b } from 'nodemailer/lib/mail-composer';\n` +
    `import { c } from '@scope/named/c.js';\nimport { d } from 'node:net';`;
  const own = { folder: 'emulators', dependencies: ['nodemailer', '@scope/named'] };
  expect(packageFaults(own, [{ path: 'emulators/mail.ts', text }])).toEqual([]);
});

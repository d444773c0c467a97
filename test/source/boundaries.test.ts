import { expect, test } from 'vitest';
import { boundaryFaults, folderFaults, type SourceFile } from './boundaries.ts';
import { cycleFaults } from './cycles.ts';
import { lengthFaults } from './function-lengths.ts';
import { readSources } from './sources.ts';
import { webBoundaryFaults } from './web-boundaries.ts';

test('every file is in its room, and imports only rooms above it', async () => {
  const files = [...(await readSources()), ...(await readSources('mail/src'))];
  expect(files.length).toBeGreaterThan(20);
  expect(boundaryFaults(files)).toEqual([]);
});

test.each<[string, string, string, RegExp]>([
  [
    'a room that imports a room below it',
    'src/helpdesk/contacts/find.ts',
    `import { a } from '../tickets/create.ts';`,
    /contacts stands above tickets/,
  ],
  [
    'a type import counts too',
    'src/helpdesk/files/find.ts',
    `import type { A } from '../tickets/create.ts';`,
    /stands above/,
  ],
  [
    'a dynamic import counts too',
    'src/helpdesk/files/find.ts',
    `const a = await import('../tickets/create.ts');`,
    /stands above/,
  ],
  [
    'tickets that import mail',
    'src/helpdesk/tickets/append.ts',
    `import { a } from '../../mail/transport.ts';`,
    /mail\.deliver/,
  ],
  [
    'mail that knows the domain',
    'src/mail/transport.ts',
    `import { sql } from '../ground/database/sql.ts';`,
    /src\/transport\/mailflow/,
  ],
  [
    'the platform that knows a room',
    'src/ground/queue/queue.ts',
    `import { a } from '../../helpdesk/tickets/jobs.ts';`,
    /pass what it needs/,
  ],
  [
    'lib that knows the platform',
    'src/ground/lib/text.ts',
    `import { a } from '../database/sql.ts';`,
    /lib knows no room/,
  ],
  [
    'a room that imports the gate',
    'src/helpdesk/tickets/routes.ts',
    `import { installGate } from '../../access/auth/gate.ts';`,
    /server\.ts alone/,
  ],
  [
    'a verb that takes the whole App',
    'src/helpdesk/tickets/create.ts',
    `import type { App } from '../../app.ts';`,
    /only routes, the door/,
  ],
  [
    'a route that opens an App',
    'src/helpdesk/tickets/routes.ts',
    `import { openApp } from '../../app.ts';`,
    /as a type/,
  ],
  [
    'a room that imports the worker',
    'src/helpdesk/tickets/jobs.ts',
    `import { crontab } from '../../worker.ts';`,
    /puts the rooms together/,
  ],
  ['the driver outside the platform', 'src/inbox/lists/list.ts', `import pg from 'pg';`, /Queryable/],
  ['the mailer outside mail', 'src/access/accounts/register.ts', `import nodemailer from 'nodemailer';`, /src\/mail/],
  [
    'a second parser of mail',
    'src/mail/transport.ts',
    `import PostalMime from 'postal-mime';`,
    /package @kontor\/mail/,
  ],
  ['a way into a package', 'src/mail/transport.ts', `import { a } from '../../mail/src/parse.ts';`, /by its name/],
  [
    'an environment variable read in a room',
    'src/inbox/lists/list.ts',
    `const limit = process.env.LIMIT;`,
    /config\.ts/,
  ],
  [
    'a test which provider it is',
    'src/transport/mailflow/take/match.ts',
    `const isCertain = hosted.provider === 'mail-b';`,
    /registry\.ts a trait/,
  ],
  [
    'the same by its constant',
    'src/transport/mailflow/take/match.ts',
    `if (key !== providerKeys.gmail) return;`,
    /traitsOf/,
  ],
  ['a message without what follows from it', 'src/inbox/bulk/bulk.ts', `insertMessage(tx, message);`, /writeMessage/],
  ['a name after a key', 'src/mail/mailboxes/watches.ts', `const { mailA } = config;`, /traitsOf/],
  ['an import without its ending', 'src/inbox/lists/list.ts', `import { a } from './search';`, /ending \.ts/],
  ['a default export', 'src/inbox/lists/list.ts', `export default function list() {}`, /by its name/],
  ['a barrel', 'src/helpdesk/tickets/index.ts', ``, /says nothing/],
  ['an export from elsewhere', 'src/inbox/lists/list.ts', `export { search } from './search.ts';`, /exports again/],
  ['a file for everything', 'src/helpdesk/tickets/mail-utils.ts', ``, /says nothing/],
  ['a room that nobody knows', 'src/helpdesk/billing/charge.ts', ``, /no room "billing" in "helpdesk"/],
  ['a neighbourhood that nobody knows', 'src/billing/invoices/send.ts', ``, /no room "invoices" in "billing"/],
  ['a file between the rooms', 'src/helpdesk/charge.ts', ``, /no room "helpdesk" in "helpdesk"/],
  [
    'a neighbourhood that imports one below it',
    'src/helpdesk/tickets/list.ts',
    `import { a } from '../../inbox/lists/list.ts';`,
    /tickets stands above lists/,
  ],
  ['a name in camel case', 'src/helpdesk/tickets/changeStatus.ts', ``, /kebab-case/],
])('%s is reported', (_name, path, text, sentence) => {
  expect(boundaryFaults([{ path, text }])).toEqual([expect.stringMatching(sentence)]);
});

test('allowed imports are not reported', () => {
  const allowed: SourceFile[] = [
    {
      path: 'src/server.ts',
      text: `import { installGate } from './access/auth/gate.ts';\nimport Fastify from 'fastify';`,
    },
    {
      path: 'src/helpdesk/tickets/routes.ts',
      text: `import type { App } from '../../app.ts';\nimport { create } from './create.ts';`,
    },
    {
      path: 'src/helpdesk/tickets/create.ts',
      text:
        `import { sql } from '../../ground/database/sql.ts';\n` +
        `import { record } from '../../events/activity/record.ts';`,
    },
    {
      path: 'src/transport/mailflow/prepare-mails.ts',
      text: `import { parse } from '@kontor/mail/parse.ts';\nimport { a } from '../../helpdesk/tickets/create.ts';`,
    },
    { path: 'src/worker.ts', text: `import { deliverMail } from './transport/mailflow/sending/deliver.ts';` },
    { path: 'src/transport/mailflow/sending/deliver.ts', text: `import type { App } from '../../../app.ts';` },
    { path: 'src/operations/commands/serve.ts', text: `import { openApp } from '../../app.ts';` },
    { path: 'src/inbox/lists/list.test.ts', text: `import pg from 'pg';` },
  ];
  expect(boundaryFaults(allowed)).toEqual([]);
});

/** Neither tests nor types generated from openapi.json. */
const webSource = /(?<!\.test)(?<!\.d)\.tsx?$/;

/** Without the generated types. */
const clientSources = async () =>
  (await readSources('client/src')).filter(({ path }) => path !== 'client/src/schema.ts');

test('the client knows nothing of its command line, and the service nothing of the client', async () => {
  const library = (await clientSources()).filter(({ path }) => !path.includes('/cli/') && !path.endsWith('.test.ts'));
  expect(library.length).toBeGreaterThan(5);
  const knowing = library.filter(({ text }) => /from '(node:|\.\/cli\/)/.test(text));
  expect(knowing.map(({ path }) => path)).toEqual([]);
  const others = [...(await readSources()), ...(await readSources('web/src', webSource))];
  expect(others.filter(({ text }) => /from '[^']*client\/src\//.test(text)).map(({ path }) => path)).toEqual([]);
});

test('each room of the web inbox imports only rooms above it', async () => {
  const files = await readSources('web/src', webSource);
  expect(files.length).toBeGreaterThan(50);
  expect(webBoundaryFaults(files)).toEqual([]);
});

test.each<[string, string, string, RegExp]>([
  ['a room below', 'web/src/tickets/rows.ts', `import { a } from '../inbox/ListPane.tsx';`, /tickets stands above/],
  ['a lazy import', 'web/src/ui/Toasts.tsx', `const a = await import('../shell/Shell.tsx');`, /ui stands above/],
  ['lib that knows a room', 'web/src/lib/dates.ts', `import { a } from '../api/client.ts';`, /lib knows no room/],
  ['the routes', 'web/src/inbox/InboxPage.tsx', `import { Routes } from '../routes.tsx';`, /imported by nobody/],
  [
    'a room that nobody knows',
    'web/src/billing/Page.tsx',
    `import { a } from '../ui/Button.tsx';`,
    /no room "billing"/,
  ],
])('%s is reported for the web inbox', (_name, path, text, sentence) => {
  expect(webBoundaryFaults([{ path, text }])).toEqual([expect.stringMatching(sentence)]);
});

test('no files import each other in a cycle', async () => {
  const folders = [
    'src',
    'web/src',
    'test',
    'emulators',
    'bench',
    'demo',
    'importers',
    'client/src',
    'mail',
    'scripts',
  ];
  const files = await Promise.all(folders.map((folder) => readSources(folder, /\.tsx?$/)));
  expect(cycleFaults(files.flat())).toEqual([]);
});

test('a cycle of imports is reported once, types and lazy imports included', () => {
  const files: SourceFile[] = [
    { path: 'src/main.ts', text: `import { a } from './lib/a.ts';` },
    { path: 'src/ground/lib/a.ts', text: `import type { B } from './b.ts';\nimport { d } from './d.ts';` },
    { path: 'src/ground/lib/b.ts', text: `const c = await import('../../helpdesk/files/c.ts');` },
    {
      path: 'src/helpdesk/files/c.ts',
      text: `import { type A } from '../../ground/lib/a.ts';\nimport { d } from '../../ground/lib/d.ts';`,
    },
    { path: 'src/ground/lib/d.ts', text: `import { readFile } from 'node:fs/promises';` },
  ];
  expect(cycleFaults(files)).toEqual([
    expect.stringMatching(
      /^src\/ground\/lib\/a\.ts imports src\/ground\/lib\/b\.ts imports src\/helpdesk\/files\/c\.ts imports src\/gr/,
    ),
  ]);
});

test('no line has more than 120 characters, comments and SQL included', async () => {
  const folders = await Promise.all([
    ...['src', 'mail', 'test', 'emulators', 'bench', 'demo', 'scripts'].map((folder) => readSources(folder)),
    readSources('web/src', webSource),
    clientSources(),
  ]);
  const long = folders
    .flat()
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((line, index) => (line.length > 120 ? [`${path}:${index + 1}`] : [])),
    );
  expect(long).toEqual([]);
});

test('no SQL has a `case value when`, which Citus misreads in an update', async () => {
  const sources = (await readSources('src')).filter(({ path }) => !path.endsWith('.test.ts'));
  const found = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (/\bcase (?!when\b)\S+ when\b/.test(line) ? [`${path}:${index + 1}`] : [])),
  );
  expect(found).toEqual([]);
});

test('no other folder has more than 30 files either, and none of `test` with its tests', async () => {
  const folders = await Promise.all([
    ...['emulators', 'mail', 'bench', 'demo', 'importers', 'scripts'].map((folder) => readSources(folder)),
    readSources('web/src', webSource),
    clientSources(),
  ]);
  expect(folderFaults(folders.flat().filter(({ path }) => !/\.test\.tsx?$/.test(path)))).toEqual([]);
  expect(folderFaults(await readSources('test'))).toEqual([]);
});

test('no function has more than 70 lines', async () => {
  const folders = await Promise.all([
    ...['src', 'mail', 'emulators', 'bench', 'importers'].map((folder) => readSources(folder)),
    readSources('web/src', webSource),
    clientSources(),
  ]);
  expect(lengthFaults(folders.flat())).toEqual([]);
});

test('a function that is too long is reported with its line, except in tests', () => {
  const ofLines = (lines: number) => `const a = 1;\n/** Why. */\nexport function b() {\n${'\n'.repeat(lines - 2)}}\n`;
  const files: SourceFile[] = [
    { path: 'src/ground/lib/long.ts', text: ofLines(71) },
    { path: 'src/ground/lib/short.ts', text: ofLines(70) },
    { path: 'src/ground/lib/long.test.ts', text: ofLines(71) },
  ];
  expect(lengthFaults(files)).toEqual([
    expect.stringMatching(/^src\/ground\/lib\/long\.ts:3 has a function with 71 lines/),
  ]);
});

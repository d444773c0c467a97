import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pagePaths } from '../../src/operations/ops/web-app.ts';
import { paths as pages } from '../../web/src/paths.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The operations that no screen calls, each with the reason. */
const elsewhere: Record<string, string> = {
  refreshSession: 'the cookie of the web inbox lasts as long as its session',
  listWorkspaces: 'the start answers with them',
  askToUnsubscribe: 'mails link to it',
  unsubscribe: 'mail programs call it, and the page that mails link to',
  takeMailboxConsent: 'the mail provider sends the browser there',
  downloadAttachment: 'answers have signed addresses of the files',
  showFile: 'answers have its signed addresses',
  showRemoteImage: 'answers have its signed addresses',
  readMailbox: 'the list has every field',
  readView: 'the list has every field',
  readRule: 'the list has every field',
  addOpenTime: 'programs count with business hours; the screens show times that the service counted',
  countOpenTime: 'programs count with business hours; the screens show times that the service counted',
  downloadReportOverview: 'the browser loads its address as a file',
  downloadReportGroups: 'the page shows its figures, and programs load them as a file',
  downloadReportTickets: 'the browser loads its address as a file',
  readAutoReply: 'the list has every field',
  readSurvey: 'the list has every field',
  showSurveyPage: 'customers open it from a mail',
  answerSurvey: 'the page that customers open sends it',
  trashTicket: 'the bulk change does it, for any number of tickets',
  restoreTicket: 'the bulk change does it, for any number of tickets',
  uploadAttachment: 'the composer uploads before a ticket exists',
  validateMailA: 'mail providers call it',
  receiveMailA: 'mail providers call it',
  validateMailALifecycle: 'mail providers call it',
  receiveMailALifecycle: 'mail providers call it',
  receiveMailB: 'mail providers call it',
  getLiveness: 'probes call it',
  getReadiness: 'probes call it',
  getMetrics: 'Prometheus calls it',
  getOpenApiDocument: 'the API page and generators read it',
};

type Call = { method: string | undefined; parts: string[] };

/**
 * The addresses in the code, without the values in them: `{ticketId}` and `${ticketId}` become `{}`. `inWorkspace`
 * takes addresses without their beginning.
 */
function callsIn(code: string): Call[] {
  const whole = code.matchAll(/(?:\b(GET|POST|PUT|PATCH|DELETE)\(\s*|[\s,(])['"`](\/v1\/[^'"`?]+)['"`?]/g);
  const inWorkspace = code.matchAll(/\.(GET|POST|PUT|PATCH|DELETE)\(\s*['"`]((?:\/(?!v1\/)[^'"`?]+)?)['"`]/g);
  return [
    ...[...whole].map(([, method, path = '']) => ({ method, parts: partsOf(path) })),
    ...[...inWorkspace].map(([, method, path = '']) => ({ method, parts: partsOf(`/v1/workspaces/{}${path}`) })),
  ];
}

/** A value right after a word is a query. */
const partsOf = (path: string) =>
  path
    .replace(/\$?\{[^}]*\}/g, '{}')
    .replace(/(?<=\w)\{\}$/, '')
    .split('/');

/** A value in the code stands for any word: one call may serve several verbs. */
function isReached(calls: readonly Call[], method: string, path: string): boolean {
  const wanted = partsOf(path);
  return calls.some(
    (call) =>
      (call.method === undefined || call.method === method) &&
      call.parts.length === wanted.length &&
      call.parts.every((part, at) => part === '{}' || part === wanted[at]),
  );
}

const { paths } = JSON.parse(read('openapi.json')) as {
  paths: Record<string, Record<string, { operationId: string }>>;
};
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ path, method: method.toUpperCase(), operationId })),
);

test('every operation is reached from a screen, or has a reason why not', () => {
  const files = globSync('web/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (path) => !path.endsWith('schema.d.ts') && !path.includes('.test.'),
  );
  const calls = callsIn(files.map(read).join('\n'));
  expect(calls.length).toBeGreaterThan(100);
  const unreached = operations.filter(({ path, method }) => !isReached(calls, method, path));
  expect(unreached.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(elsewhere).sort());
});

test('a call is found by its method, by its address alone, and in templates', () => {
  // The code has a template of its own, which a plain string may not hold.
  const template = ['', 'v1', 'c', '$' + '{id}', '$' + '{verb}'].join('/');
  const calls = callsIn(`api.GET('/v1/a/{id}'); const path = '/v1/b'; open('POST', \`${template}\`)`);
  expect(isReached(calls, 'GET', '/v1/a/{ticketId}')).toBe(true);
  expect(isReached(calls, 'DELETE', '/v1/a/{ticketId}')).toBe(false);
  expect(isReached(calls, 'POST', '/v1/b')).toBe(true);
  expect(isReached(calls, 'POST', '/v1/c/{ticketId}/retry')).toBe(true);
  expect(isReached(calls, 'POST', '/v1/c/{ticketId}')).toBe(false);
  const [call] = callsIn(`here.PUT('/tags/{tag}', { path: { tag } })`);
  expect(isReached(call ? [call] : [], 'PUT', '/v1/workspaces/{workspaceId}/tags/{tag}')).toBe(true);
});

test('the service serves every page of the web inbox after a reload', () => {
  const written = Object.values(pages).filter((page) => typeof page === 'string');
  expect(written.length).toBeGreaterThan(15);
  const served = pagePaths.map((path) => path.split('/'));
  const missing = written
    .flatMap((page) => (page.endsWith('?') ? [page.slice(0, -1), page.replace(/\/[^/]+$/, '')] : [page]))
    .filter((page) => {
      const parts = page.split('/');
      return !served.some(
        (path) => path.length === parts.length && path.every((part, at) => part.startsWith(':') || part === parts[at]),
      );
    });
  expect(missing).toEqual([]);
});

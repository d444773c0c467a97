import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { auditSubjects } from '../../src/ground/catalog/audit.ts';
import { causeKinds } from '../../src/ground/catalog/cause.ts';
import { eventTypes } from '../../src/ground/catalog/events.ts';
import { permissions, roles } from '../../src/ground/catalog/permissions.ts';
import { errorCatalog } from '../../src/ground/lib/error-catalog.ts';

const guide = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');

test('the API guide lists every error as the service sends it', () => {
  const rows = Object.entries(errorCatalog).map(
    ([key, { status, message }]) => `| ${status} | \`${key}\` | ${message} |`,
  );
  expect(tableOf('errors')).toEqual(rows);
});

test('the API guide lists what each role may do', () => {
  const yesOrNo = (isAllowed: boolean) => (isAllowed ? 'yes' : '–');
  const rows = Object.entries(permissions).map(([permission, allowed]: [string, readonly string[]]) =>
    ['', ` \`${permission}\` `, ...roles.map((role) => ` ${yesOrNo(allowed.includes(role))} `), ''].join('|'),
  );
  expect(tableOf('permissions')).toEqual(rows);
});

test('the API guide lists every event', () => {
  expect(tableOf('events').map((row) => /`([^`]+)`/.exec(row)?.[1])).toEqual([...eventTypes]);
});

test('the API guide lists every cause', () => {
  expect(tableOf('causes').map((row) => /`([^`]+)`/.exec(row)?.[1])).toEqual(causeKinds);
});

test('the API guide lists every entry of the audit log', () => {
  expect(tableOf('audit').map((row) => /`([^`]+)`/.exec(row)?.[1])).toEqual(Object.keys(auditSubjects));
});

/** The rows of the table after `<!-- name -->`, without its head. */
function tableOf(name: string): string[] {
  const table = new RegExp(`<!-- ${name} -->\n(.*?)(\n\n|$)`, 's').exec(guide)?.[1]?.trim().split('\n') ?? [];
  return table.slice(2);
}

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../harness.ts';

const house = useHouse();
const root = new URL('../../', import.meta.url);
let readme: string;

beforeAll(async () => {
  readme = await readFile(new URL('README.md', root), 'utf8');
});

test('the five lines of the README, pasted into bash, open, find and close a ticket', async () => {
  const lines = /## A first ticket\n.*?```sh\n(.*?)```/s.exec(readme)?.[1]?.trim().split('\n') ?? [];
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(line).toContain('curl -s');

  const printed = await paste(
    lines.map((line) => line.replaceAll('localhost:3000', house.url.slice('http://'.length))),
  );
  const [registered, signedIn, created, found, closed] = printed;
  expect(JSON.parse(registered!)).toMatchObject({ userId: expect.any(String) });
  expect([signedIn, created]).toEqual(['', '']);
  expect(JSON.parse(found!)).toEqual([
    expect.objectContaining({
      ticketNumber: 1,
      subject: 'The printer hums',
      status: 'open',
      requester: expect.objectContaining({ email: 'bob@example.com', name: 'Bob' }),
    }),
  ]);
  expect(JSON.parse(closed!)).toMatchObject({ id: JSON.parse(found!)[0].id, status: 'closed', version: 2 });
});

/** The output of each line, in one shell. */
async function paste(lines: string[]): Promise<string[]> {
  const separator = '=== line ended ===';
  const script = lines.map((line) => `${line}\necho '${separator}'`).join('\n');
  // Puts the node that runs the tests first. A reader has the node that came with npm.
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', script], { env: { PATH } });
  expect(stderr).toBe('');
  return stdout.split(separator).map((text) => text.trim());
}

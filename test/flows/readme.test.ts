import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { useHouse } from '../harness/harness.ts';
import { makeOwner } from '../worlds/factories.ts';

const house = useHouse();
const root = new URL('../../', import.meta.url);
let readme: string;

beforeAll(async () => {
  readme = await readFile(new URL('README.md', root), 'utf8');
});

test('the line of the README, pasted into bash, opens a ticket', async () => {
  const lines = /## A first ticket\n.*?```sh\n(.*?)```/s.exec(readme)?.[1]?.trim().split('\n') ?? [];
  expect(lines).toHaveLength(1);
  const owner = await makeOwner(house);
  const { body: key } = await owner.call('POST', '/api-keys', { name: 'README', role: 'agent' });
  const signedIn = { KONTOR_URL: house.url, KONTOR_KEY: key.secret, KONTOR_WORKSPACE: owner.workspaceId };

  expect(await paste(lines[0] ?? '', signedIn)).toBe('Opened ticket #1.\n');
  const found = await owner.call('GET', '/tickets?search=humming');
  expect(found.body).toEqual([
    expect.objectContaining({
      ticketNumber: 1,
      subject: 'The printer hums',
      status: 'open',
      tags: ['printer'],
      requester: expect.objectContaining({ email: 'bob@example.com', name: 'Bob' }),
    }),
  ]);
});

/** The output of a line in a clone of the repository. A reader at a terminal signs in, and this caller has a key. */
async function paste(line: string, environment: Record<string, string>): Promise<string> {
  // Puts the node that runs the tests first. A reader has the node that came with npm.
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  const { HOME } = process.env;
  const { stdout, stderr } = await promisify(execFile)('bash', ['--norc', '-c', line], {
    cwd: fileURLToPath(root),
    env: { PATH, HOME, ...environment },
  });
  expect(stderr).toBe('');
  return stdout;
}

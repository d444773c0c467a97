import { expect } from 'vitest';
import { sql } from '../../../src/ground/database/sql.ts';
import { newId } from '../../../src/ground/lib/ids.ts';
import { drain } from '../../../src/worker.ts';
import type { House } from '../../harness/harness.ts';
import { formWith, keptFiles, postForm } from '../../harness/uploads.ts';
import type { Person } from '../factories.ts';
import { mailOf } from '../mails.ts';

export type File = [name: string, content: string | Uint8Array];

export const mboxOf = (mails: readonly Buffer[]) =>
  mails.map((mail) => `From x Thu Jan  1 00:00:00 2026\n${mail}\n`).join('');

export const mailsOf = (count: number, ids: string = newId()) =>
  Array.from({ length: count }, (_, at) =>
    mailOf({ headers: { 'Message-ID': `<${at}.${ids}@example.org>`, Subject: `Old ${at}` } }),
  );

const formOf = (files: readonly File[]) =>
  formWith(
    ...files.flatMap(([name, content]) => [`Content-Disposition: form-data; name="file"; filename="${name}"`, content]),
  );

/** Imports of uploaded files, over the API. */
export function uploadsTo(house: House) {
  const start = (person: Person, files: readonly File[], query = '', headers: Record<string, string> = {}) =>
    postForm(house, person, `imports${query}`, formOf(files), headers);

  const read = async (person: Person, id: string) => (await person.call('GET', `/imports/${id}`)).body;

  /** Starts an import and works until its end. */
  async function imported(person: Person, files: readonly File[], query = '') {
    const { status, body } = await start(person, files, query);
    expect({ status, body }).toMatchObject({ status: 202, body: { state: 'running', finishedAt: null } });
    await drain(house.app);
    return read(person, body.id);
  }

  const countOf = async ({ workspaceId }: Person) =>
    (
      await house.app.db.one<{ count: number }>(sql`
        select count(*) as count from tickets
        where workspace_id = ${workspaceId} and merged_into_id is null and message_count = 1`)
    ).count;

  const uploadsOf = async () =>
    (await keptFiles(house)).filter((path) => path.endsWith('.import') || path.includes('.spool'));

  return { start, read, imported, countOf, uploadsOf };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import type { DeskProblem } from '../../../importers/desk.ts';
import type { Converter, Source } from '../../../importers/run-importer.ts';
import { type DeskCounts, writeDesk } from '../../../importers/write-desk.ts';
import { loadExport } from '../../../src/operations/transfer/load-export.ts';
import type { Loaded } from '../../../src/operations/transfer/loading.ts';
import type { House } from '../../harness/harness.ts';
import { runService } from '../../harness/service-process.ts';
import { makeMember, makeOwner, type Person } from '../factories.ts';

export const fixtures = join(import.meta.dirname, '../../../importers/fixtures');

/** Converts fixtures and imports them into a workspace, as the commands do. */
export function importDesk(house: House, kind: string, convert: Converter) {
  const folders: string[] = [];
  afterAll(async () => {
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });
  const newFolder = async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kontor-desk-'));
    folders.push(folder);
    return folder;
  };

  async function written(source: Partial<Source> & Pick<Source, 'paths'>) {
    const folder = await newFolder();
    const desk = await writeDesk({ source: `${kind}:`, name: 'Moved', folder });
    await convert({ files: undefined, utcOffset: '+00:00', ...source }, desk);
    await desk.finish();
    return { folder, counts: desk.counts, problems: desk.problems };
  }

  async function imported(
    source: Partial<Source> & Pick<Source, 'paths'>,
  ): Promise<{ counts: DeskCounts; problems: DeskProblem[]; loaded: Loaded }> {
    const { folder, ...rest } = await written(source);
    const loaded = await loadExport(house.app, folder, {
      workspaceId: undefined,
      getsNewNumbers: false,
      signal: new AbortController().signal,
      onProgress: () => {},
    });
    expect(loaded.problems.kept).toEqual([]);
    return { ...rest, loaded };
  }

  /** An owner who looks at the imported tickets. */
  async function reader({ workspaceId }: Loaded): Promise<Person> {
    await makeOwner(house, 'Elsewhere');
    return makeMember(house, workspaceId, 'owner');
  }

  /** The program itself. */
  async function run(...args: string[]): Promise<{ code: number | null; output: string }> {
    const program = runService({}, [`importers/${kind}.ts`, ...args]);
    const { code } = await program.exited;
    return { code, output: program.output() };
  }

  return { imported, written, reader, run, newFolder };
}

/** The fields of a ticket, in a form that is easy to compare. */
export function shown(ticket: any) {
  return {
    number: ticket.ticketNumber,
    status: ticket.status,
    priority: ticket.priority,
    tags: ticket.tags,
    requester: ticket.requester?.email ?? null,
    messages: ticket.messages.map((message: any) =>
      [message.createdAt, message.direction, message.author.email ?? message.author.name, message.body].join(' '),
    ),
    files: ticket.messages.flatMap(({ attachments }: any) => attachments.map(({ fileName }: any) => fileName)),
  };
}

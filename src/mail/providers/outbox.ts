/** The way out when no server is set: each mail is a file, for development, demonstrations and tests. */
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { newId } from '../../lib/ids.ts';
import type { MailTransport } from '../transport.ts';

/**
 * Opens a transport that writes `2026-11-20T19-05-01.123Z-<id>.eml` files, whose names sort by time.
 * A file appears whole or not at all, and stays after a power cut: written aside, synced, renamed, folder synced.
 * Trouble with the disk is temporary. The folder is made when the first mail is written.
 */
export function openOutbox(folder: string, clock: Clock = systemClock): MailTransport {
  return {
    async send({ raw }) {
      const name = `${clock.now().toISOString().replaceAll(':', '-')}-${newId()}.eml`;
      try {
        await writeDurably(folder, name, raw);
        return { ok: true };
      } catch (error) {
        const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        return { ok: false, permanent: false, reason: `the outbox could not be written: ${reason}` };
      }
    },
    async close() {},
  };
}

async function writeDurably(folder: string, name: string, raw: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Not .eml, and hidden: nobody may pick up half a mail.
  const draft = join(folder, `.${name}.tmp`);
  try {
    const file = await open(draft, 'wx');
    try {
      await file.writeFile(raw);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, join(folder, name));
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const directory = await open(folder, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** The way out when no server is set: each mail is a file, for development, demonstrations and tests. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../lib/clock.ts';
import { syncFolder, writeWhole } from '../../lib/durable-file.ts';
import { newId } from '../../lib/ids.ts';
import { contentOf, type MailTransport, type SendRefusal } from '../transport.ts';

/**
 * Opens a transport that writes `2026-11-20T19-05-01.123Z-<id>.eml` files, whose names sort by time.
 * A file appears whole or not at all, and stays after a power cut: written aside, synced, renamed, folder synced.
 * Trouble with the disk is temporary. The folder is made when the first mail is written.
 */
export function openOutbox(folder: string, clock: Clock = systemClock): MailTransport {
  return {
    async send(mail) {
      const name = `${clock.now().toISOString().replaceAll(':', '-')}-${newId()}.eml`;
      let isThere = false;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // Hidden until it is whole: nobody may pick up half a mail.
        await writeWhole(join(folder, name), contentOf(mail), { mode: 0o600 });
        isThere = true;
        await syncFolder(folder);
        return { ok: true };
      } catch (error) {
        return { ...refusal(error), ...(isThere && { mayHaveLeft: true }) };
      }
    },
    async close() {},
  };
}

/** Of the system's faults the name alone, which tells no path. */
function refusal(error: unknown): SendRefusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const why = error instanceof Error && code === 'unknown' ? error.message : code;
  return { ok: false, permanent: false, code, reason: `the outbox could not be written: ${why}` };
}

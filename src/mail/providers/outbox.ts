/** Writes each mail to a file when no mail server is configured: for development, demonstrations and tests. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../ground/lib/clock.ts';
import { syncFolder, writeWhole } from '../../ground/lib/durable-file.ts';
import { newId } from '../../ground/lib/ids.ts';
import { contentOf, type MailTransport, type SendRefusal } from '../transport.ts';

/**
 * Opens a transport that writes `2026-11-20T19-05-01.123Z-<id>.eml` files, whose names sort by time.
 * A file appears whole or not at all, and survives a power cut: the transport writes and syncs a temporary file,
 * renames it, and syncs the folder. Disk errors count as temporary. The first mail creates the folder.
 */
export function openOutbox(folder: string, clock: Clock = systemClock): MailTransport {
  return {
    async send(mail) {
      const name = `${clock.now().toISOString().replaceAll(':', '-')}-${newId()}.eml`;
      let isThere = false;
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        // The file stays hidden until it is whole, so that no program reads half a mail.
        await writeWhole(join(folder, name), contentOf(mail), { mode: 0o600 });
        isThere = true;
        await syncFolder(folder);
        return { ok: true, isFile: true };
      } catch (error) {
        return { ...refusal(error), ...(isThere && { mayHaveLeft: true }) };
      }
    },
    async close() {},
  };
}

/** Names a system error only by its code, because its message contains the path. */
function refusal(error: unknown): SendRefusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const why = error instanceof Error && code === 'unknown' ? error.message : code;
  return { ok: false, permanent: false, code, reason: `the outbox could not be written: ${why}` };
}

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { pathOfFile, pathOfMail } from './format.ts';
import { RefusedRecord } from './problems.ts';
import type { AttachmentRecord } from './record-fields.ts';
import type { MailRecord } from './ticket-records.ts';

export type ContentsSource = {
  folder: string;
  /** Paths that the manifest names as lost: records may name them without their bytes. */
  missing: ReadonlySet<string>;
};

/** Neither Kontor nor a provider takes a larger mail. */
const mailBytesMax = 512 * 1024 ** 2;

/** Checks that the folder has the bytes that records name. Throws a `RefusedRecord`. */
export async function checkContents(
  { folder, missing }: ContentsSource,
  { attachments, mails }: { attachments: readonly AttachmentRecord[]; mails: readonly MailRecord[] },
): Promise<void> {
  const named = [
    ...attachments.map(({ sha256, sizeBytes }) => ({ path: pathOfFile(sha256), sizeBytes })),
    ...mailsWithBytes(mails).map(({ sha256, sizeBytes }) => ({ path: pathOfMail(sha256), sizeBytes })),
  ];
  for (const { path, sizeBytes } of named) {
    if (missing.has(path)) continue;
    const found = await lstat(join(folder, path)).catch(() => undefined);
    if (found === undefined || !found.isFile()) throw new RefusedRecord(`${path} is missing`);
    if (found.size !== sizeBytes) throw new RefusedRecord(`${path} has ${found.size} bytes instead of ${sizeBytes}`);
  }
}

/** Puts the bytes that records name, before the rows. Throws a `RefusedRecord` for bytes of another hash. */
export async function putContents(
  blobs: Blobs,
  workspaceId: WorkspaceId,
  { folder, missing }: ContentsSource,
  { attachments, mails }: { attachments: readonly AttachmentRecord[]; mails: readonly MailRecord[] },
): Promise<void> {
  for (const sha256 of new Set(attachments.map((each) => each.sha256))) {
    const path = pathOfFile(sha256);
    if (missing.has(path) || (await blobs.stored.has(workspaceId, sha256))) continue;
    await using spooled = await blobs.spool(createReadStream(join(folder, path)));
    if (spooled.sha256 !== sha256) throw new RefusedRecord(`${path} is damaged`);
    await blobs.keep(workspaceId, spooled);
  }
  for (const sha256 of new Set(mailsWithBytes(mails).map((each) => each.sha256))) {
    const path = pathOfMail(sha256);
    if (missing.has(path) || (await blobs.stored.has(workspaceId, `${sha256}.gz`))) continue;
    const bytes = await readFile(join(folder, path));
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new RefusedRecord(`${path} is damaged`);
    await blobs.packed.putAll(workspaceId, [bytes]);
  }
}

function mailsWithBytes(mails: readonly MailRecord[]): MailRecord[] {
  const tooLarge = mails.find(({ sizeBytes }) => sizeBytes > mailBytesMax);
  if (tooLarge !== undefined) throw new RefusedRecord(`${pathOfMail(tooLarge.sha256)} is too large for a mail`);
  return mails.filter(({ erasedAt }) => (erasedAt ?? null) === null);
}

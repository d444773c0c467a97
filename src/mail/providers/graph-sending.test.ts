import { Readable } from 'node:stream';
import { parseMail } from '@kontor/mail/parse.ts';
import { describe, expect, it } from 'vitest';
import { writeMail } from '../../../emulators/customer-mail.ts';
import type { GraphEmulator } from '../../../emulators/graph.ts';
import { address, useGraphAccounts } from '../../../test/peers/graph-accounts.ts';
import type { HostedFile, HostedMail, SendSteps } from '../provider.ts';

const { openWorld, openAt } = useGraphAccounts();

describe('sending', () => {
  // The sizes of exactly one request and of exactly two slices.
  const plot = fileOf('plot.png', 2_999_999, 'plot@kontor');
  const large = fileOf('large.bin', 4_000_001, null);

  it('uploads large files separately, in slices', async () => {
    const { emulator, account } = await openWorld();
    await account.send(await mailOf([plot, large]), stepsOf([]));
    expect((await receivedFiles(emulator)).sort()).toEqual(['large.bin 4000001 null', 'plot.png 2999999 plot@kontor']);
    expect(emulator.misuses()).toEqual([]);
  });

  it('creates a new draft when the old draft may lack files', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([large]);
    emulator.setFault({ on: 'upload.slice', status: 503 });
    // Even the removal of the incomplete draft fails.
    emulator.setFault({ on: 'message.delete', status: 503 });
    const drafts: string[] = [];
    await expect(account.send(mail, stepsOf(drafts))).rejects.toMatchObject({
      kind: 'unavailable',
      mayHaveHappened: false,
    });
    expect(drafts).toEqual([]);
    await account.send(mail, stepsOf(drafts));
    expect(await receivedFiles(emulator)).toEqual(['large.bin 4000001 null']);
    expect(emulator.messages(address, 'drafts')).toEqual([]);
  });

  it('uses the draft of an attempt that was interrupted before it stored the id', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([]);
    emulator.setFault({ on: 'draft.create', kind: 'broken', isCarriedOut: true });
    const drafts: string[] = [];
    await expect(account.send(mail, stepsOf(drafts))).rejects.toMatchObject({ mayHaveHappened: false });
    const [left] = emulator.messages(address, 'drafts');
    await account.send(mail, stepsOf(drafts));
    expect(drafts).toEqual([left?.id]);
    expect(emulator.received('cora@example.com')).toHaveLength(1);
  });

  it('does not send a draft again that has left', async () => {
    const { emulator, account } = await openWorld();
    const mail = await mailOf([]);
    const drafts: string[] = [];
    const copy = await account.send(mail, stepsOf(drafts));
    const [draftId = ''] = drafts;
    expect(await account.send(mail, { ...stepsOf([]), draftId })).toEqual(copy);
    expect(emulator.received()).toHaveLength(1);
  });

  it('reports a missing draft, after which the mail may have left', async () => {
    const { emulator, account } = await openWorld();
    const removed: SendSteps = { ...stepsOf([]), onDraft: async (id) => emulator.remove(address, id) };
    await expect(account.send(await mailOf([]), removed)).rejects.toMatchObject({
      kind: 'not-found',
      mayHaveHappened: true,
    });
  });

  it('creates no second draft when the first draft is not visible', async () => {
    const { emulator, account } = await openWorld();
    await expect(account.send(await mailOf([]), { ...stepsOf([]), draftId: 'gone' })).rejects.toMatchObject({
      kind: 'not-found',
      mayHaveHappened: true,
    });
    expect(emulator.messages(address, 'drafts')).toEqual([]);
  });

  it.each([
    [429, 'ApplicationThrottled', true],
    [403, 'UnheardOf', true],
    [400, 'UnheardOf', true],
    [500, 'ErrorAccessDenied', true],
    [403, 'ErrorAccessDenied', false],
    [403, 'ErrorMessageSubmissionBlocked', false],
    [400, 'ErrorInvalidRecipients', false],
    [401, 'InvalidAuthenticationToken', false],
  ])('refused with %i %s leaves open whether the mail left: %s', async (status, code, mayHaveHappened) => {
    const { emulator, account } = await openWorld();
    emulator.setFault({ on: 'send', status, code, times: 2 });
    await expect(account.send(await mailOf([]), stepsOf([]))).rejects.toMatchObject({ mayHaveHappened });
  });

  it('is retried after a bare 400', async () => {
    const { account } = await openAt((request, response) => {
      if (request.method === 'GET') response.end('{"value":[]}');
      else response.writeHead(400).end();
    });
    await expect(account.send(await mailOf([]), stepsOf([]))).rejects.toMatchObject({
      kind: 'unavailable',
      code: '400',
      mayHaveHappened: false,
    });
  });

  it('finds the copy by our mark when both its id and its Message-ID have changed', async () => {
    const { emulator, account } = await openWorld({ sentIdsChange: true, rewritesMessageIds: true });
    const since = new Date(emulator.now().getTime() - 1_000);
    const mail = await mailOf([]);
    const drafts: string[] = [];
    await account.send(mail, stepsOf(drafts));
    const [draftId = null] = drafts;
    const { rfcMessageId } = mail;
    const findTaken = async () => new Set<string>();
    const sent = await account.findSent({ rfcMessageId, draftId, threadId: null, since, findTaken });
    const [kept] = emulator.messages(address, 'sentitems');
    expect(sent).toEqual({
      providerId: kept?.id,
      threadId: kept?.conversationId,
      wireMessageId: kept?.internetMessageId.slice(1, -1),
    });
    expect(kept?.id).not.toBe(draftId);
  });
});

function fileOf(fileName: string, sizeBytes: number, contentId: string | null): HostedFile {
  const contentType = fileName.endsWith('.png') ? 'image/png' : 'application/octet-stream';
  return { fileName, contentType, sizeBytes, contentId, open: async () => Readable.from([Buffer.alloc(sizeBytes, 7)]) };
}

/** Only a whole mail includes its files, and no file here is small enough for that. */
async function mailOf(files: readonly HostedFile[]): Promise<HostedMail> {
  const rfcMessageId = 'answer-1@kontor.example.com';
  const raw = await writeMail(
    {
      from: address,
      to: ['cora@example.com'],
      messageId: rfcMessageId,
      html: '<p><img src="cid:plot@kontor"></p>',
      headers: { 'X-Kontor-Message-ID': `<${rfcMessageId}>` },
    },
    { to: '', date: new Date() },
  );
  const text = () => Readable.from([raw]);
  const envelope = { sender: '', recipients: [] };
  return { ...envelope, rfcMessageId, threadId: null, bcc: [], whole: text, withoutFiles: text, files };
}

function stepsOf(drafts: string[]): SendSteps {
  return { draftId: null, onDraft: async (id) => void drafts.push(id), beforeSend: async () => {} };
}

async function receivedFiles(emulator: GraphEmulator): Promise<string[]> {
  const [mail] = emulator.received('cora@example.com');
  const { attachments = [] } = mail === undefined ? {} : await parseMail(mail.raw);
  return attachments.map(({ fileName, content, contentId }) => `${fileName} ${content.byteLength} ${contentId}`);
}

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { mailFrom, send, useGmail } from '../../../test/worlds/use-gmail.ts';
import type { HostedMail } from '../provider.ts';

const world = useGmail();

describe('sending', () => {
  const sought = (mail: HostedMail) => ({
    ...mail,
    draftId: null,
    since: new Date(),
    findTaken: async () => new Set<string>(),
  });

  it.each([true, false])('is found afterwards (Message-ID replaced: %s)', async (isReplaced) => {
    world.emulator.configure({ rewritesMessageIds: isReplaced });
    const { address, account } = world.openMailbox();
    for (let n = 0; n < 3; n++) await send(account, mailFrom(address));
    const mail = mailFrom(address);
    const copy = await send(account, mail);
    expect(copy?.wireMessageId === mail.rfcMessageId).toBe(!isReplaced);
    world.emulator.relabel(address, copy?.providerId ?? '', { add: ['TRASH'] });
    expect(await account.findSent(sought(mail))).toEqual(copy);
  });

  it('looks for a mail only among those that are not taken', async () => {
    world.emulator.configure({ rewritesMessageIds: true });
    const { address, account } = world.openMailbox();
    for (let n = 0; n < 3; n++) await send(account, mailFrom(address));
    const mail = mailFrom(address);
    const copy = await send(account, mail);
    const others = async (ids: readonly string[]) => new Set(ids.filter((id) => id !== copy?.providerId));
    expect(await account.findSent({ ...sought(mail), findTaken: others })).toEqual(copy);
    const all = async (ids: readonly string[]) => new Set(ids);
    expect(await account.findSent({ ...sought(mail), findTaken: all })).toBeUndefined();
  });

  it('succeeds even if the look-up of the copy fails', async () => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'messages.get', address, status: 503 });
    expect(await send(account, mailFrom(address))).toMatchObject({
      providerId: expect.any(String),
      wireMessageId: null,
    });
  });

  it('begins a new thread when the old thread was deleted', async () => {
    const { address, account } = world.openMailbox();
    world.emulator.setFault({ on: 'messages.send', address, status: 404 });
    await send(account, mailFrom(address, { threadId: '1abc' }));
    expect(world.emulator.mails(address)).toHaveLength(1);
  });

  it('says why Google refuses a mail', async () => {
    const { address, account } = world.openMailbox();
    const mail = mailFrom(address, { to: '' });
    const sentence = /Recipient address required/;
    await expect(send(account, mail)).rejects.toMatchObject({
      kind: 'refused',
      message: expect.stringMatching(sentence),
    });
  });

  it('does not begin for a mail that is too large for the API', async () => {
    const { address, account } = world.openMailbox();
    const megabyte = Buffer.alloc(1_048_576, 'x');
    const whole = () => Readable.from(Array.from({ length: 36 }, () => megabyte));
    let begun = 0;
    const steps = { draftId: null, onDraft: async () => {}, beforeSend: async () => void begun++ };
    const sending = account.send({ ...mailFrom(address), whole }, steps);
    await expect(sending).rejects.toMatchObject({ kind: 'refused', code: 'too_large', mayHaveHappened: false });
    expect(begun).toBe(0);
  });
});

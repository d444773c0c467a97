import { expect, test } from 'vitest';
import type { Attachment } from '../api/client.ts';
import { withPictures } from '../tickets/mail-html.ts';
import { nothingWritten } from './draft/draft-content.ts';
import { messageOf } from './shown-message.ts';

/** As the service answers an upload: no message shows it yet. */
const upload = (contentId: string | null) =>
  ({
    id: `of ${contentId}`,
    contentId,
    isInline: false,
    url: `https://kontor.example/v1/files/w/1?of=${contentId}`,
  }) as Attachment;

test('a message that is being sent shows its pictures in the text, and lists its other files', () => {
  const files = [upload('1@kontor'), upload('11@kontor'), upload(null)];
  const content = {
    ...nothingWritten,
    body: 'See',
    bodyHtml: '<div>See <img src="cid:1@kontor" alt="a.png"></div>',
    files,
  };
  const recipients = { to: [], cc: [], bcc: [] };
  const message = messageOf({ content, recipients, isNote: false }, 't', 'u');
  expect(message.attachments.map(({ isInline }) => isInline)).toEqual([true, false, false]);
  expect(withPictures(message.bodyHtml ?? '', message.attachments)).toContain('<img src="/v1/files/w/1?of=1@kontor"');
});

test('plain text shows no picture', () => {
  const content = { ...nothingWritten, body: 'See "cid:1@kontor"', files: [upload('1@kontor')] };
  const { attachments } = messageOf({ content, recipients: { to: [], cc: [], bcc: [] }, isNote: true }, 't', 'u');
  expect(attachments).toMatchObject([{ isInline: false }]);
});

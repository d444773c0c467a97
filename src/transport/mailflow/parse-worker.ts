import { type Moved, moved } from '../../ground/platform/worker-answer.ts';
import { type MailContent, type MailToRead, readMail, type UnreadableContent } from './understand.ts';

/** Runs in the mail parser's thread. Transfers the files of the mail without a copy. */
export async function answer(mail: MailToRead): Promise<Moved<MailContent | UnreadableContent>> {
  const content = await readMail(mail);
  return moved(content, 'reason' in content ? [] : content.files.map((file) => file.content));
}

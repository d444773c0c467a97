import type { MessageId } from '../../ground/lib/ids.ts';
import { foldText } from '../../ground/lib/text.ts';
import { hasMatch } from './patterns.ts';
import type { authors, MessageCondition, TextTest } from './schema.ts';

/** What a rule may ask of a message, as it came. */
export type MessageRecord = {
  id: MessageId;
  direction: string;
  authorType: string;
  automaticKind: string | null;
  fromName: string | null;
  fromEmail: string | null;
  /** To and Cc, and where the mail arrived. */
  recipients: string[];
  subject: string;
  /** What its writer added to the text quoted below it. */
  text: string;
  headers: Record<string, string[]> | null;
  attachmentNames: string[];
  verdict: string | null;
  /** Whether it was written to leave at a later time. */
  isScheduled: boolean;
};

type Author = (typeof authors)[number];

/** A machine wrote automatic mail, and what no person asked for. */
export function authorOf({ authorType, automaticKind }: MessageRecord): Author {
  if (automaticKind !== null || authorType === 'system') return 'machine';
  return authorType === 'customer' ? 'customer' : 'agent';
}

/** Whether a message is as the condition says. @param isFirst whether its ticket began with it */
export function messageIs(condition: MessageCondition, message: MessageRecord, isFirst: boolean): boolean {
  const { from, fromDomain, to, subject, body, header, attachmentName, verdict } = condition;
  if (from !== undefined) return textIs(message, from, [message.fromEmail ?? '', message.fromName ?? '']);
  if (fromDomain !== undefined) return isOfDomain(fromDomain, message.fromEmail);
  if (to !== undefined) return textIs(message, to, message.recipients);
  if (subject !== undefined) return textIs(message, subject, [message.subject]);
  if (body !== undefined) return textIs(message, body, [message.text]);
  if (header !== undefined) return headerIs(header, message);
  if (attachmentName !== undefined) return textIs(message, attachmentName, message.attachmentNames);
  if (verdict !== undefined) return verdict.some((one) => one === message.verdict);
  return condition.isFirst === isFirst;
}

/** Texts of messages, folded: many rules ask for the same ones. */
const foldedTexts = new WeakMap<MessageRecord, Map<string, string>>();

function foldOnce(message: MessageRecord, text: string): string {
  const known = foldedTexts.get(message) ?? new Map<string, string>();
  foldedTexts.set(message, known);
  const folded = known.get(text) ?? foldText(text.trim());
  known.set(text, folded);
  return folded;
}

/** Whether any of the texts of a message is as the test says. */
function textIs(message: MessageRecord, { is, has, matches }: TextTest, texts: readonly string[]): boolean {
  const given = texts.filter((text) => text !== '');
  if (matches !== undefined) return given.some((text) => hasMatch(matches, text));
  const folded = given.map((text) => foldOnce(message, text));
  if (is !== undefined) return is.map(foldText).some((wanted) => folded.includes(wanted));
  return (has ?? []).map(foldText).some((wanted) => folded.some((text) => text.includes(wanted)));
}

function isOfDomain(domains: readonly string[], email: string | null): boolean {
  const domain = email?.slice(email.lastIndexOf('@') + 1).toLowerCase() ?? '';
  return domains.some((one) => {
    const wanted = one.toLowerCase().replace(/^@/, '');
    return domain === wanted || domain.endsWith(`.${wanted}`);
  });
}

function headerIs({ name, ...test }: NonNullable<MessageCondition['header']>, message: MessageRecord): boolean {
  const values = message.headers?.[name.toLowerCase()];
  if (values === undefined) return false;
  const isNameAlone = Object.values(test).every((one) => one === undefined);
  return isNameAlone || textIs(message, test, values);
}

import type { operations } from '../../api/schema.d.ts';
import type { DraftContent } from '../../compose/draft/draft-content.ts';
import type { SavedReply } from '../../replies/queries.ts';

type Body = operations['createSavedReply']['requestBody']['content']['application/json'];
export type ReplyActions = NonNullable<Body['actions']>;
export type ActionName = Exclude<keyof ReplyActions, 'reason'>;

/** The contents of the form of a saved reply. */
export type ReplyFields = Pick<DraftContent, 'body' | 'bodyHtml' | 'files'> & {
  name: string;
  shortcut: string;
  subject: string;
  isShared: boolean;
  actions: ReplyActions;
};

export const newReply: ReplyFields = {
  ...{ name: '', shortcut: '', subject: '', isShared: true, actions: {} },
  ...{ body: '', bodyHtml: null, files: [] },
};

export function fieldsOf({ name, shortcut, subject, isShared, actions, ...text }: SavedReply): ReplyFields {
  const { body, bodyHtml, attachments: files } = text;
  return { name, shortcut: shortcut ?? '', subject: subject ?? '', isShared, actions, body, bodyHtml, files };
}

/** The fields in the shape of the API. */
export function bodyOf({ name, shortcut, subject, files, ...rest }: ReplyFields): Body {
  return {
    ...rest,
    name: name.trim(),
    shortcut: shortcut.trim() || null,
    subject: subject.trim() || null,
    attachmentIds: files.map(({ id }) => id),
  };
}

/** The actions with a change. A field without a value does nothing, so it goes. */
export function withAction<Actions extends Omit<ReplyActions, 'follow'>>(
  actions: Actions,
  changed: { [Name in keyof Actions]?: unknown },
): Actions {
  const isSet = ([, value]: [string, unknown]) => value !== undefined && value !== '' && !isEmptyList(value);
  const next = Object.fromEntries(Object.entries({ ...actions, ...changed }).filter(isSet)) as Actions;
  // The service takes a reason only with a status.
  if (next.status === undefined) delete next.reason;
  return next;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

import { useQuery } from '@tanstack/react-query';
import { savedReplyQuery } from '../replies/queries.ts';
import { usePlace } from '../session/Guard.tsx';
import { configQuery, settingsQuery } from '../session/queries.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import styles from './Composer.module.css';
import type { Composing } from './use-composer.ts';
import { effectOf, rulesOf } from './when-answered.ts';

/** Says what sending does with the ticket, beside what a saved reply does, which has a hint of its own. */
export function EffectHint({ composing: { content, ticket, recipients, userId } }: { composing: Composing }) {
  const { workspace } = usePlace();
  const settings = useQuery(settingsQuery(workspace.id)).data;
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data;
  const config = useQuery(configQuery).data;
  const { runActions, savedReplyId } = content;
  const reply = useQuery({
    ...savedReplyQuery(workspace.id, savedReplyId ?? ''),
    enabled: runActions && savedReplyId !== null,
  }).data;
  const actions = runActions ? reply?.actions : {};
  if (settings === undefined || mailboxes === undefined || config === undefined || actions === undefined) return null;
  const { mailboxId = ticket.mailboxId } = actions;
  const hasSmtp = config.mail !== 'outbox';
  const rules = rulesOf({ mailboxId, mailboxes, ofWorkspace: settings.whenAnswered, hasSmtp });
  const effects = new Set(rules.map((rule) => effectOf(rule, { ticket, recipients, userId, actions })));
  // Nothing is said where the service will choose the mailbox, and they differ.
  const [effect] = effects.size === 1 ? effects : [];
  return effect === undefined ? null : <p className={styles.hint}>{effect}</p>;
}

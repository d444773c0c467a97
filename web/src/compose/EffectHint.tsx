import { useQuery } from '@tanstack/react-query';
import { usePlace } from '../session/Guard.tsx';
import { settingsQuery } from '../session/queries.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import styles from './Composer.module.css';
import type { Composing } from './use-composer.ts';
import { effectOf } from './when-answered.ts';

/** Says what sending does with the ticket. The actions of a saved reply come first, and have a hint of their own. */
export function EffectHint({ composing: { content, ticket, recipients, userId } }: { composing: Composing }) {
  const { workspace } = usePlace();
  const settings = useQuery(settingsQuery(workspace.id)).data;
  const mailbox = useQuery(mailboxesQuery(workspace.id)).data?.find(({ id }) => id === ticket.mailboxId);
  const rule = mailbox?.whenAnswered ?? settings?.whenAnswered ?? null;
  const effect = content.runActions ? undefined : effectOf(rule, { ticket, recipients, userId });
  return effect === undefined ? null : <p className={styles.hint}>{effect}</p>;
}

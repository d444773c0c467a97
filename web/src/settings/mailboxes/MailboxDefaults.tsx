import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { SessionForm } from '../../session/SessionForm.tsx';
import { membersQuery } from '../../tickets/queries.ts';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';
import { useSaveDefaults } from './changes.ts';
import type { Mailbox } from './health.ts';
import { listed } from './listed.ts';
import styles from './mailboxes.module.css';

const nameMax = 100;
const signatureMax = 5_000;

/** Name and signature of a mailbox, and what its new tickets begin with. */
export function MailboxDefaults({ mailbox }: { mailbox: Mailbox }) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(membersQuery(workspace.id));
  const save = useSaveDefaults(mailbox.id);
  const [isSaved, setIsSaved] = useState(false);
  const signatureId = useId();
  const submit = async ({ name = '', assignee = '', tags = '', signature = '', aliases }: Record<string, string>) => {
    setIsSaved(false);
    await save({
      name: name.trim() || null,
      defaultAssigneeId: assignee || null,
      defaultTags: listed(tags),
      ...(aliases !== undefined && { aliases: listed(aliases) }),
      signature: signature.trim() || null,
    });
    setIsSaved(true);
  };
  // Viewers cannot be assigned to tickets.
  const assignable = members.filter(({ role, userId }) => role !== 'viewer' || userId === mailbox.defaultAssigneeId);
  return (
    <Section title={words('mailboxes.defaults')} hint={words('mailboxes.defaultsHint')}>
      {isSaved && <p role="status">{words('mailboxes.saved')}</p>}
      <SessionForm action={words('mailboxes.save')} onSubmit={submit}>
        <Field label={words('mailboxes.name')} name="name" maxLength={nameMax} defaultValue={mailbox.name ?? ''} />
        <label>
          {words('mailboxes.assignee')}{' '}
          {/* The members may arrive after the first drawing, and a choice without its option would be lost. */}
          <select key={members.length} name="assignee" defaultValue={mailbox.defaultAssigneeId ?? ''}>
            <option value="">{words('ticket.nobody')}</option>
            {assignable.map(({ userId, name, email }) => (
              <option key={userId} value={userId}>
                {name ?? email}
              </option>
            ))}
          </select>
        </label>
        <Field
          label={words('mailboxes.tags')}
          name="tags"
          placeholder={words('filter.tagsHint')}
          defaultValue={mailbox.defaultTags.join(', ')}
        />
        {mailbox.provider === 'imap' && (
          <Field
            label={words('mailboxes.ownAliases')}
            placeholder={words('mailboxes.ownAliasesHint')}
            name="aliases"
            defaultValue={mailbox.aliases.join(', ')}
          />
        )}
        <div className={styles.area}>
          <label htmlFor={signatureId}>{words('mailboxes.signature')}</label>
          <textarea
            id={signatureId}
            name="signature"
            rows={4}
            maxLength={signatureMax}
            defaultValue={mailbox.signature ?? ''}
          />
        </div>
      </SessionForm>
    </Section>
  );
}

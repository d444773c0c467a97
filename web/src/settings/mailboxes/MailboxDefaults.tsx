import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { settingsQuery } from '../../session/queries.ts';
import type { Fields } from '../../session/use-fields.ts';
import { membersQuery, teamsQuery } from '../../tickets/queries.ts';
import { ChoiceField } from '../../ui/Choice.tsx';
import { Field } from '../../ui/Field.tsx';
import { words } from '../../words/words.ts';
import { AnsweredSection, noRule, ruleOf } from '../AnsweredSection.tsx';
import { Section } from '../Section.tsx';
import { SettingsForm } from '../SettingsForm.tsx';
import { useSaveDefaults } from './changes.ts';
import type { Mailbox } from './health.ts';
import { listed } from './listed.ts';
import styles from './mailboxes.module.css';

const listedAs = (addresses: readonly string[]) => addresses.join(', ');
const nameMax = 100;
const signatureMax = 5_000;

/** Name and signature of a mailbox, what its new tickets begin with, and what replies do with them. */
export function MailboxDefaults({ mailbox }: { mailbox: Mailbox }) {
  const { workspace } = usePlace();
  const { data: members = [] } = useQuery(membersQuery(workspace.id));
  const save = useSaveDefaults(mailbox.id);
  const signatureId = useId();
  const ofWorkspace = useQuery(settingsQuery(workspace.id)).data?.whenAnswered ?? noRule;
  const submit = ({ name = '', assignee = '', team, tags = '', signature = '', aliases, sendAs, ...rule }: Fields) =>
    save({
      name: name.trim() || null,
      defaultAssigneeId: assignee || null,
      // Without teams there is no such field. A colleague may have changed it meanwhile.
      ...(team !== undefined && (team || null) !== mailbox.teamId && { teamId: team || null }),
      defaultTags: listed(tags),
      ...(aliases !== undefined && { aliases: listed(aliases) }),
      ...(sendAs !== undefined && sendAs !== listedAs(mailbox.sendAs) && { sendAs: listed(sendAs) }),
      signature: signature.trim() || null,
      whenAnswered: ruleOf(rule, ofWorkspace),
    });
  // Viewers cannot be assigned to tickets.
  const assignable = members.filter(({ role, userId }) => role !== 'viewer' || userId === mailbox.defaultAssigneeId);
  return (
    <SettingsForm onSave={submit}>
      <Section title={words('mailboxes.defaults')} hint={words('mailboxes.defaultsHint')}>
        <Field label={words('mailboxes.name')} name="name" maxLength={nameMax} defaultValue={mailbox.name ?? ''} />
        <TeamField teamId={mailbox.teamId} />
        <ChoiceField
          // The members may arrive after the first drawing, and a choice without its option would be lost.
          key={members.length}
          label={words('mailboxes.assignee')}
          name="assignee"
          defaultValue={mailbox.defaultAssigneeId ?? ''}
          options={[
            ['', words('ticket.nobody')],
            ...assignable.map(({ userId, name, email }) => [userId, name ?? email] as const),
          ]}
        />
        <Field
          label={words('mailboxes.tags')}
          name="tags"
          placeholder={words('filter.tagsHint')}
          defaultValue={mailbox.defaultTags.join(', ')}
        />
        {mailbox.provider === 'imap' && <AddressFields mailbox={mailbox} />}
        <div className={styles.area}>
          <label htmlFor={signatureId}>{words('mailboxes.signature')}</label>
          <textarea
            id={signatureId}
            className="text-field"
            name="signature"
            rows={4}
            maxLength={signatureMax}
            defaultValue={mailbox.signature ?? ''}
          />
        </div>
      </Section>
      <AnsweredSection rule={mailbox.whenAnswered} mayInherit />
    </SettingsForm>
  );
}

/** The other addresses of a mailbox whose server tells none. */
function AddressFields({ mailbox: { aliases, sendAs } }: { mailbox: Mailbox }) {
  return (
    <>
      <Field
        label={words('mailboxes.ownAliases')}
        placeholder={words('mailboxes.ownAliasesHint')}
        name="aliases"
        defaultValue={listedAs(aliases)}
      />
      <Field
        label={words('mailboxes.sendAs')}
        placeholder={words('mailboxes.sendAsHint')}
        name="sendAs"
        defaultValue={listedAs(sendAs)}
      />
    </>
  );
}

function TeamField({ teamId }: Pick<Mailbox, 'teamId'>) {
  const { workspace } = usePlace();
  const { data = [] } = useQuery(teamsQuery(workspace.id));
  const teams = data.filter(({ id, archivedAt }) => archivedAt === null || id === teamId);
  if (teams.length === 0) return null;
  return (
    <ChoiceField
      // As for the members.
      key={teams.length}
      label={words('mailboxes.team')}
      name="team"
      defaultValue={teamId ?? ''}
      options={[['', words('ticket.noTeam')], ...teams.map(({ id, name }) => [id, name] as const)]}
    />
  );
}

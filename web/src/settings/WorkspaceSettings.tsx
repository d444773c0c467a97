import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { ApiError, inWorkspace } from '../api/client.ts';
import { Samples } from '../onboarding/Samples.tsx';
import { paths } from '../paths.ts';
import { changeWorkspace } from '../session/change-workspace.ts';
import { usePlace } from '../session/Guard.tsx';
import { meQuery, settingsQuery } from '../session/queries.ts';
import type { Fields } from '../session/use-fields.ts';
import { Action } from '../ui/Action.tsx';
import { Fault } from '../ui/Fault.tsx';
import { Field } from '../ui/Field.tsx';
import { words } from '../words/words.ts';
import { AnsweredSection, noRule, ruleOf } from './AnsweredSection.tsx';
import { CopyText } from './CopyText.tsx';
import { listed } from './mailboxes/listed.ts';
import { useIsManager } from './manager.ts';
import { allMembersQuery, isLastOwner, type Member, nameOf } from './members.ts';
import { Section } from './Section.tsx';
import { SettingsForm } from './SettingsForm.tsx';

const nameMax = 100;

/** What belongs to the workspace as a whole. Every member may read its address and leave. */
export function WorkspaceSettings() {
  const isManager = useIsManager();
  return (
    <>
      {isManager && <GeneralForm />}
      <InboundSection />
      {isManager && <SecondFactorSection />}
      {isManager && (
        <Section title={words('workspace.samples')} hint={words('workspace.samplesHint')}>
          <Samples />
        </Section>
      )}
      <LeaveSection />
    </>
  );
}

/** The name, the addresses that reach the inbound address without a trace in the mail, and what a reply does. */
function GeneralForm() {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery(settingsQuery(workspace.id));
  if (data === undefined) return error === null ? null : <Fault error={error} onRetry={() => void refetch()} />;
  const shown = data.whenAnswered ?? noRule;
  const save = ({ name = '', addresses = '', ...fields }: Fields) => {
    const rule = ruleOf(fields, shown) ?? shown;
    const isOther = rule.assign !== shown.assign || rule.status !== shown.status;
    return changeWorkspace(workspace.id, {
      ...{ name, ownAddresses: listed(addresses) },
      ...(isOther && { whenAnswered: rule }),
    });
  };
  return (
    <SettingsForm key={workspace.id} onSave={save}>
      <Section title={words('session.choose')}>
        <Field
          label={words('workspace.name')}
          help={words('workspace.nameHint')}
          name="name"
          autoComplete="off"
          required
          maxLength={nameMax}
          defaultValue={workspace.name}
        />
        <Field
          label={words('workspace.ownAddresses')}
          help={words('workspace.ownAddressesHint')}
          name="addresses"
          placeholder={words('mailboxes.ownAliasesHint')}
          defaultValue={data.ownAddresses.join(', ')}
        />
      </Section>
      <AnsweredSection rule={shown} />
    </SettingsForm>
  );
}

function InboundSection() {
  const { workspace } = usePlace();
  const { data, error, refetch } = useQuery({
    queryKey: ['workspace', workspace.id, 'inbound-address'],
    queryFn: () => inWorkspace(workspace.id).GET('/mail/inbound-address'),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return (
    <Section title={words('workspace.inbound')} hint={words('workspace.inboundHint')}>
      {error !== null && <Fault error={error} onRetry={() => void refetch()} />}
      {data !== undefined &&
        (data.address === null ? (
          <p>{words('workspace.noInbound')}</p>
        ) : (
          <CopyText label={words('workspace.inboundAddress')} text={data.address} />
        ))}
    </Section>
  );
}

/** Requires a second factor of every member, after naming the members without a second factor. */
function SecondFactorSection() {
  const { workspace } = usePlace();
  const settings = useQuery(settingsQuery(workspace.id));
  const members = useQuery(allMembersQuery(workspace.id));
  const [isRefused, setIsRefused] = useState(false);
  const change = (requireSecondFactor: boolean) =>
    changeWorkspace(workspace.id, { requireSecondFactor }).catch((error: unknown) => {
      setIsRefused(error instanceof ApiError && error.key === 'workspace.second_factor_required');
      throw error;
    });
  const fault = settings.error ?? members.error;
  const retry = () => Promise.all([settings.refetch(), members.refetch()]);
  const isRequired = settings.data?.requireSecondFactor;
  return (
    <Section title={words('workspace.factor')} hint={words('workspace.factorHint')}>
      {fault !== null && <Fault error={fault} onRetry={() => void retry()} />}
      {isRefused && <Link href={paths.settings('security')}>{words('workspace.factorOwn')}</Link>}
      {members.data !== undefined && isRequired !== undefined && (
        <>
          <Without members={members.data} isRequired={isRequired} />
          <Action run={() => change(!isRequired)}>
            {words(isRequired ? 'workspace.factorEnd' : 'workspace.factorRequire')}
          </Action>
        </>
      )}
    </Section>
  );
}

const namedMax = 10;

/** Names the members whom the requirement keeps out, or would keep out. */
function Without({ members, isRequired }: { members: readonly Member[]; isRequired: boolean }) {
  const without = members.filter(({ hasSecondFactor }) => hasSecondFactor === false);
  const more = without.length - namedMax;
  const people = without.slice(0, namedMax).map(nameOf).join(', ');
  const named = more > 0 ? words('workspace.andMore', { people, count: more }) : people;
  if (without.length === 0) return <p>{words(isRequired ? 'workspace.factorOnForAll' : 'workspace.factorForAll')}</p>;
  return (
    <p>
      {words(isRequired ? 'workspace.factorIsOut' : 'workspace.factorWouldBeOut', {
        people: named,
        count: without.length,
        all: members.length,
      })}
    </p>
  );
}

function LeaveSection() {
  const { workspace, userId } = usePlace();
  const [, navigate] = useLocation();
  const { data: members } = useQuery(allMembersQuery(workspace.id));
  const own = members?.find((member) => member.userId === userId);
  const isLast = own !== undefined && members !== undefined && isLastOwner(own, members);
  const leave = async () => {
    await inWorkspace(workspace.id).DELETE('/members/{userId}', { path: { userId } });
    navigate(paths.inbox, { replace: true });
    await queryClient.invalidateQueries(meQuery);
    queryClient.removeQueries({ queryKey: ['workspace', workspace.id] });
  };
  return (
    <Section title={words('workspace.leave')} hint={words(isLast ? 'workspace.leaveLast' : 'workspace.leaveHint')}>
      <Action look="danger" disabled={isLast} sure={words('workspace.leaveSure', { name: workspace.name })} run={leave}>
        {words('workspace.leaveNamed', { name: workspace.name })}
      </Action>
    </Section>
  );
}

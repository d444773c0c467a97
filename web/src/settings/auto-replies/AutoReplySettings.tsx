import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, useLocation, useSearch } from 'wouter';
import { inWorkspace } from '../../api/client.ts';
import { fullTime } from '../../lib/dates.ts';
import { paths } from '../../paths.ts';
import { usePlace } from '../../session/Guard.tsx';
import { mailboxesQuery } from '../../tickets/queries.ts';
import { Action } from '../../ui/Action.tsx';
import { buttonClass } from '../../ui/Button.tsx';
import { Icon } from '../../ui/Icon.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { PagedList } from '../../ui/PagedList.tsx';
import { words } from '../../words/words.ts';
import { BackLink } from '../BackLink.tsx';
import { HeadAction } from '../HeadAction.tsx';
import { useIsManager } from '../manager.ts';
import { Section } from '../Section.tsx';
import { AutoReplyPage } from './AutoReplyPage.tsx';
import styles from './auto-replies.module.css';
import { fieldsOf } from './fields.ts';
import { type AutoReply, autoRepliesQuery, pausesQuery, refreshAutoReplies } from './queries.ts';

const list = paths.settings('auto-replies');

/** The automatic replies of the workspace. The address names the open one. */
export function AutoReplySettings() {
  const [, navigate] = useLocation();
  const isManager = useIsManager();
  const replyId = new URLSearchParams(useSearch()).get('reply');
  const wasOpen = useRef(false);
  useEffect(() => {
    wasOpen.current = replyId !== null;
  }, [replyId]);
  if (replyId === null || !isManager) return <AutoReplies isBack={wasOpen.current} />;
  return (
    <>
      <BackLink href={list}>{words('autoReplies.back')}</BackLink>
      <AutoReplyPage key={replyId} replyId={replyId} onDone={() => navigate(list, { replace: true })} />
    </>
  );
}

/** @param isBack whether a reply was open before, so that the focus needs a new place */
function AutoReplies({ isBack }: { isBack: boolean }) {
  const { workspace } = usePlace();
  const isManager = useIsManager();
  const source = useQuery(autoRepliesQuery(workspace.id));
  const name = words('settings.auto-replies');
  return (
    <>
      {isManager && (
        <HeadAction>
          <Link href={`${list}?reply=new`} className={buttonClass('primary')}>
            <Icon name="plus" />
            {words('autoReplies.new')}
          </Link>
        </HeadAction>
      )}
      <Pauses isManager={isManager} />
      <Section title={name}>
        <PagedList label={name} source={source} none={words('autoReplies.none')} isBack={isBack}>
          {(reply) => <Line key={reply.id} reply={reply} isManager={isManager} />}
        </PagedList>
      </Section>
    </>
  );
}

function Line({ reply, isManager }: { reply: AutoReply; isManager: boolean }) {
  const { id, name, isActive, sentToday, withheldToday } = reply;
  const withheld = withheldToday.reduce((sum, { count }) => sum + count, 0);
  const when = words(`autoReplies.${fieldsOf(reply).when}`);
  return (
    <li>
      <span>
        {isManager ? (
          <Link href={`${list}?reply=${id}`} dir="auto">
            {name}
          </Link>
        ) : (
          <b dir="auto">{name}</b>
        )}
        <br />
        <small>
          {when} · {words('autoReplies.sent', { count: sentToday })}
          {withheld > 0 && ` · ${words('autoReplies.withheld', { count: withheld })}`}
        </small>
      </span>
      <span className={isActive ? undefined : styles.off}>
        {words(isActive ? 'autoReplies.on' : 'autoReplies.off')}
      </span>
    </li>
  );
}

/** Mailboxes that have sent too much within an hour. */
function Pauses({ isManager }: { isManager: boolean }) {
  const { workspace } = usePlace();
  const pauses = useQuery(pausesQuery(workspace.id)).data ?? [];
  const mailboxes = useQuery(mailboxesQuery(workspace.id)).data ?? [];
  const resume = async (mailboxId: string | null) => {
    await inWorkspace(workspace.id).POST('/auto-replies/resume', { body: { mailboxId } });
    await refreshAutoReplies(workspace.id);
  };
  return pauses.map(({ mailboxId, pausedAt }) => {
    const mailbox = mailboxes.find(({ id }) => id === mailboxId)?.address ?? words('autoReplies.ownServer');
    const action = <Action run={() => resume(mailboxId)}>{words('autoReplies.resume')}</Action>;
    return (
      <Notice key={mailboxId ?? 'smtp'} tone="bad" {...(isManager && { action })}>
        {words('autoReplies.paused', { mailbox, time: fullTime(pausedAt) })}
      </Notice>
    );
  });
}

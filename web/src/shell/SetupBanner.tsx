import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { ApiError } from '../api/client.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { configQuery } from '../session/queries.ts';
import { canSend } from '../tickets/mailbox-state.ts';
import { mailboxesQuery } from '../tickets/queries.ts';
import { Button } from '../ui/Button.tsx';
import { words } from '../words/words.ts';
import { BannerLine } from './BannerLine.tsx';
import { enterWorkspace } from './enter.ts';

/** Names the missing setup without which not all of Kontor works: the person's second factor, or a mail server. */
export function SetupBanner() {
  const isDemanded = useIsFactorDemanded();
  if (isDemanded) return <FactorBanner />;
  return <OutboxBanner />;
}

/** Whether the workspace lets nobody in without a second factor, and this session has none. */
function useIsFactorDemanded(): boolean {
  const { workspace } = usePlace();
  const { error } = useQuery(mailboxesQuery(workspace.id));
  const isDemanded = error instanceof ApiError && error.key === 'workspace.second_factor_required';
  useEffect(() => {
    // The workspace refused this page at its start, so the page enters again once it may.
    if (!isDemanded) enterWorkspace(workspace.id);
  }, [isDemanded, workspace.id]);
  return isDemanded;
}

function FactorBanner() {
  const { workspace } = usePlace();
  return (
    <BannerLine kind="warn" label={words('banner.factorName')}>
      {words('banner.factor', { name: workspace.name })}{' '}
      <Link href={paths.settings('security')}>{words('banner.toFactor')}</Link>
    </BannerLine>
  );
}

const hiddenKey = 'kontor.notices-banner';

/**
 * Without a mail server no mail leaves, but for mail of connected mailboxes. The demo says so itself. Nobody hides this
 * as long as no mailbox can send, because then nothing reaches customers.
 */
function OutboxBanner() {
  const { workspace } = usePlace();
  const { data: config } = useQuery(configQuery);
  const { data: mailboxes } = useQuery(mailboxesQuery(workspace.id));
  const [isHidden, setIsHidden] = useState(() => localStorage.getItem(hiddenKey) !== null);
  if (config?.mail !== 'outbox' || config.demo !== null || mailboxes === undefined) return null;
  const isManager = workspace.role === 'owner' || workspace.role === 'admin';
  if (!mailboxes.some(canSend))
    return (
      <BannerLine kind="bad" label={words('banner.outboxName')}>
        {words('banner.outbox')}{' '}
        {isManager ? (
          <Link href={paths.settings('mailboxes')}>{words('banner.setMail')}</Link>
        ) : (
          words('banner.askMail')
        )}
      </BannerLine>
    );
  // Nobody else can change it, and customers get their answers.
  if (isHidden || !isManager) return null;
  const hide = () => {
    localStorage.setItem(hiddenKey, 'hidden');
    setIsHidden(true);
  };
  return (
    <BannerLine kind="info" label={words('banner.outboxName')}>
      {words('banner.notices')}{' '}
      <Button look="quiet" onClick={hide}>
        {words('banner.hide')}
      </Button>
    </BannerLine>
  );
}

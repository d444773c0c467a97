import { useCallback, useState } from 'react';
import { usePlace } from '../session/Guard.tsx';
import { soon } from '../ui/later.tsx';

const OnboardingCard = soon(() => import('./OnboardingCard.tsx'), 'OnboardingCard');

const keyOf = (workspaceId: string) => `kontor.onboarding.${workspaceId}`;

type Props = { hasTickets: boolean };

/**
 * The first steps for the managers of a workspace. Once they have ended, this browser sends no more requests for them.
 */
export function Onboarding({ hasTickets }: Props) {
  const { workspace } = usePlace();
  const key = keyOf(workspace.id);
  const [, setIsOver] = useState(false);
  const onEnd = useCallback(() => {
    localStorage.setItem(key, 'away');
    setIsOver(true);
  }, [key]);
  const isManager = workspace.role === 'owner' || workspace.role === 'admin';
  if (!isManager || localStorage.getItem(key) === 'away') return null;
  return <OnboardingCard hasTickets={hasTickets} onEnd={onEnd} />;
}

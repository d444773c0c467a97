import { useMutation } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { usePlace } from '../../session/Guard.tsx';
import { openOverlay } from '../../shell/overlay.ts';
import { Button } from '../../ui/Button.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { type ScheduledAnswer, type Steering, steerScheduled } from './steer.ts';

type Props = Pick<ComponentProps<typeof Button>, 'look' | 'className'> & {
  answer: ScheduledAnswer;
  /** In a list, every button names its ticket. */
  number?: number;
  onLeave?: () => void;
};

/** Sends a scheduled answer now, changes its time, or cancels it. */
export function ScheduledTools({ answer, number, onLeave, ...looks }: Props) {
  const { workspace, userId } = usePlace();
  const steer = useMutation({
    mutationFn: (steering: Steering) => steerScheduled({ workspaceId: workspace.id, userId }, answer, steering),
    onMutate: ({ verb }) => verb !== 'reschedule' && onLeave?.(),
  });
  const pickTime = () =>
    openOverlay({
      kind: 'sendLater',
      isAgain: true,
      onPick: (at) => steer.mutate({ verb: 'reschedule', sendAt: at.toISOString() }),
    });
  const tool = (name: 'sendNow' | 'change' | 'cancel', onClick: () => void) => (
    <Button
      {...looks}
      size="tool"
      // The focus returns to the button from the choice of a time.
      disabled={steer.isPending && steer.variables.verb !== 'reschedule'}
      aria-label={number === undefined ? undefined : `${words(`schedule.${name}`)}, #${number}`}
      onClick={onClick}
    >
      {words(`schedule.${name}`)}
    </Button>
  );
  return (
    <>
      {tool('sendNow', () => steer.mutate({ verb: 'retry' }))}
      {tool('change', pickTime)}
      {tool('cancel', () => steer.mutate({ verb: 'cancel' }))}
      {steer.error !== null && <Fault error={steer.error} />}
    </>
  );
}

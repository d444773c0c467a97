import { useMutation } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { queryClient } from '../api/cache.ts';
import { inWorkspace } from '../api/client.ts';
import { paths } from '../paths.ts';
import { usePlace } from '../session/Guard.tsx';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { useHasSamples } from './queries.ts';

/** A button that adds sample tickets, or removes them. */
export function Samples() {
  const { workspace } = usePlace();
  const [, navigate] = useLocation();
  const here = inWorkspace(workspace.id);
  const isMade = useHasSamples(workspace.id);
  const refresh = () => queryClient.invalidateQueries({ queryKey: ['workspace', workspace.id] });
  const make = useMutation({
    mutationFn: () => here.POST('/sample-tickets'),
    onSuccess: async ({ tickets: [first] }) => {
      await refresh();
      if (first !== undefined) navigate(paths.ticket(first.ticketNumber));
    },
  });
  const remove = useMutation({
    mutationFn: () => here.DELETE('/sample-tickets'),
    onSuccess: refresh,
  });
  const fault = make.error ?? remove.error;
  return (
    <>
      {isMade ? (
        <Button disabled={remove.isPending} onClick={() => remove.mutate()}>
          {words('onboarding.samplesAway')}
        </Button>
      ) : (
        <Button look="primary" disabled={make.isPending} onClick={() => make.mutate()}>
          {words('onboarding.samples')}
        </Button>
      )}
      {fault !== null && <Fault error={fault} />}
    </>
  );
}

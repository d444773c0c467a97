import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { queryClient } from '../../api/cache.ts';
import { readPush, turnPushOff, turnPushOn } from '../../api/push.ts';
import { Checkbox } from '../../ui/Checkbox.tsx';
import { Fault } from '../../ui/Fault.tsx';
import { words } from '../../words/words.ts';
import { Section } from '../Section.tsx';

const pushQuery = queryOptions({ queryKey: ['push'], queryFn: readPush, staleTime: 0 });

const readAgain = () => queryClient.invalidateQueries(pushQuery);

/** The worker of a first visit may come after the page gave up waiting for it. */
function readWithWorker(): (() => void) | undefined {
  if (!('serviceWorker' in navigator)) return undefined;
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener('controllerchange', readAgain);
  return () => serviceWorker.removeEventListener('controllerchange', readAgain);
}

/** Notifications in this browser while Kontor is closed. Only the click asks for the browser's permission. */
export function PushSection() {
  const { data: state } = useQuery(pushQuery);
  const { mutate, isPending, variables, error } = useMutation({
    mutationFn: (wanted: boolean) => (wanted ? turnPushOn() : turnPushOff()),
    onSettled: readAgain,
  });
  useEffect(readWithWorker, []);
  if (state === undefined || state === 'elsewhere') return null;
  const wasAsked = variables === true && !isPending && error === null;
  return (
    <Section title={words('push.title')} hint={words('push.hint')}>
      <Checkbox
        checked={isPending ? variables : state === 'on'}
        disabled={isPending || state === 'impossible' || state === 'unready' || state === 'denied'}
        onChange={({ target }) => mutate(target.checked)}
      >
        {words('push.on')}
      </Checkbox>
      <p role="status">
        {state === 'impossible' && words('push.impossible')}
        {state === 'unready' && words('push.unready')}
        {state === 'denied' && words('desktop.denied')}
        {state === 'off' && wasAsked && words('desktop.notAllowed')}
      </p>
      {error instanceof DOMException && <p role="alert">{words('push.failed')}</p>}
      {error !== null && !(error instanceof DOMException) && <Fault error={error} />}
    </Section>
  );
}

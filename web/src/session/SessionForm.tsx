import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { words } from '../words/words.ts';
import { firstWrong } from './first-wrong.ts';

type Props = {
  action: string;
  onSubmit: (fields: Record<string, string>) => Promise<unknown>;
  children: ReactNode;
};

/** A form that submits its fields by name. Shows errors below them in our own words, in place of the browser's. */
export function SessionForm({ action, onSubmit, children }: Props) {
  const sending = useMutation({ mutationFn: onSubmit });
  const [wrong, setWrong] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = firstWrong(event.currentTarget);
    setWrong(found && words(found.why, { field: found.label, count: found.min }));
    found?.field.focus();
    if (found !== undefined) return;
    // The forms have no file fields, so all values are strings.
    sending.mutate(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <form noValidate onSubmit={submit}>
      {children}
      {wrong !== undefined && <p role="alert">{wrong}</p>}
      {wrong === undefined && sending.error !== null && <Fault error={sending.error} />}
      <Button type="submit" look="primary" disabled={sending.isPending}>
        {action}
      </Button>
    </form>
  );
}

import { useMutation } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';

type Props = {
  action: string;
  onSubmit: (fields: Record<string, string>) => Promise<unknown>;
  children: ReactNode;
};

/** A form that submits its fields by name, and shows an error below them. */
export function SessionForm({ action, onSubmit, children }: Props) {
  const sending = useMutation({ mutationFn: onSubmit });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    // The forms have no file fields, so all values are strings.
    sending.mutate(Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>);
  };
  return (
    <form onSubmit={submit}>
      {children}
      {sending.error !== null && <Fault error={sending.error} />}
      <Button type="submit" look="primary" disabled={sending.isPending}>
        {action}
      </Button>
    </form>
  );
}

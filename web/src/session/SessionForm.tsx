import type { ReactNode } from 'react';
import { Button } from '../ui/Button.tsx';
import { Fault } from '../ui/Fault.tsx';
import { type Fields, useFields } from './use-fields.ts';

type Props = {
  action: string;
  onSubmit: (fields: Fields) => Promise<unknown>;
  children: ReactNode;
};

/** A form that submits its fields by name. Shows errors below them in our own words, in place of the browser's. */
export function SessionForm({ action, onSubmit, children }: Props) {
  const { submit, isPending, wrong, fault } = useFields(onSubmit);
  return (
    <form noValidate onSubmit={submit}>
      {children}
      {wrong !== undefined && <p role="alert">{wrong}</p>}
      {fault !== null && <Fault error={fault} />}
      <Button type="submit" look="primary" disabled={isPending}>
        {action}
      </Button>
    </form>
  );
}

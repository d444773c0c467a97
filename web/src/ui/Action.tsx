import { useMutation } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { Button } from './Button.tsx';
import { Fault } from './Fault.tsx';

type Props = Omit<ComponentProps<typeof Button>, 'onClick'> & {
  run: () => Promise<unknown>;
  /** A question that the person answers first. */
  sure?: string | undefined;
  /** The words of the button while it runs. */
  pending?: string;
};

/** A button that runs once at a time, and shows below it why it failed. */
export function Action({ run, sure, pending, disabled = false, children, ...button }: Props) {
  const { start, isPending, fault } = useAction(run);
  return (
    <>
      <Button {...button} disabled={disabled || isPending} onClick={() => start(undefined, sure)}>
        {isPending ? (pending ?? children) : children}
      </Button>
      {fault}
    </>
  );
}

/** The same for a command that is no button, such as a choice or a line of a menu. */
export function useAction<Value = undefined>(run: (value: Value) => Promise<unknown>) {
  const { mutate, isPending, error, variables } = useMutation({ mutationFn: run });
  const start = (value: Value, sure?: string) => {
    if (sure === undefined || window.confirm(sure)) mutate(value);
  };
  return { start, isPending, value: variables, fault: error !== null && <Fault error={error} /> };
}

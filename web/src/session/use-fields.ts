import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { words } from '../words/words.ts';
import { firstWrong } from './first-wrong.ts';

export type Fields = Record<string, string>;

/** Sends the fields of a form by name, once our own words have said which of them is wrong. */
export function useFields(onSubmit: (fields: Fields) => Promise<unknown>) {
  const { mutate, isPending, error } = useMutation({ mutationFn: onSubmit });
  const [wrong, setWrong] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const found = firstWrong(event.currentTarget);
    setWrong(found && words(found.why, { field: found.label, count: found.min }));
    found?.field.focus();
    if (found === undefined) mutate(fieldsOf(event.currentTarget));
  };
  return { submit, isPending, wrong, fault: wrong === undefined ? error : null };
}

/** The forms have no file fields, so all values are strings. */
export function fieldsOf(form: HTMLFormElement): Fields {
  return Object.fromEntries(new FormData(form)) as Fields;
}

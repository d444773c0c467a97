import { paths } from '../paths.ts';

const name = 'next';

/** The sign-in page, which leads back to where a person was going. */
export function signInPath(from: string): string {
  return from === paths.inbox ? paths.signIn : `${paths.signIn}?${new URLSearchParams({ [name]: from })}`;
}

/** Where a sign-in leads: only an address of ours, which no link from elsewhere can change into another one. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get(name) ?? '';
  const base = 'https://kontor.invalid';
  if (!next.startsWith('/') || !URL.canParse(next, base) || new URL(next, base).origin !== base) return paths.inbox;
  return next;
}

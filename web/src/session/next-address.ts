import { paths } from '../paths.ts';

const name = 'next';

/** The address of the sign-in page, which leads back to `from` afterwards. */
export function signInPath(from: string): string {
  return from === paths.inbox ? paths.signIn : `${paths.signIn}?${new URLSearchParams({ [name]: from })}`;
}

/** The address after a sign-in. Only addresses of this host count, so that a crafted link cannot lead elsewhere. */
export function nextAddress(search: string): string {
  const next = new URLSearchParams(search).get(name) ?? '';
  const base = 'https://kontor.invalid';
  if (!next.startsWith('/') || !URL.canParse(next, base) || new URL(next, base).origin !== base) return paths.inbox;
  return next;
}

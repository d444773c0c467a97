/** What a form with `OwnPassword` sends. An account without a password, which signs in elsewhere, leaves it out. */
export function ownPasswordIn({ password = '' }: Record<string, string>): { password?: string } {
  return password === '' ? {} : { password };
}

/** The password field for a request. An account that signs in with a provider has no password and leaves it out. */
export function ownPasswordIn({ password = '' }: Record<string, string>): { password?: string } {
  return password === '' ? {} : { password };
}

/** Takes the token of a mailed link out of the address, so that neither history nor a copied address holds it. */
export function linkToken(): string {
  const address = new URL(window.location.href);
  const token = address.searchParams.get('token') ?? '';
  address.searchParams.delete('token');
  window.history.replaceState(null, '', address);
  return token;
}

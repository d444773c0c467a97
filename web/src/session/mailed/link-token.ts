import { useEffect, useState } from 'react';

/**
 * The token of a mailed link, or an empty text. Once the page is on the screen, neither history nor a copied address
 * holds it. While React renders it stays: React may render a page twice before it shows the page.
 */
export function useLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  useEffect(() => {
    const address = new URL(window.location.href);
    address.searchParams.delete('token');
    window.history.replaceState(null, '', address);
  }, []);
  return token;
}

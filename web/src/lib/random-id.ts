/** An id that nobody else makes or guesses. Browsers have `crypto.randomUUID` on secure pages alone, not on http in an office. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

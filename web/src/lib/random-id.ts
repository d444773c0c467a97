/** 128 random bits. Browsers offer `crypto.randomUUID` only on secure pages, and an office may use http. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

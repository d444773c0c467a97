type Policy = { createHTML(text: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

/** Browsers without Trusted Types accept plain strings. */
const asText: Policy = { createHTML: (text) => text };
const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('kontor-mail', asText) ?? asText;

/**
 * The only place that turns text into HTML. Use the result only in frames without scripts, and in documents that are
 * parsed and never shown.
 */
export function trustedHtml(text: string): string {
  return policy.createHTML(text);
}

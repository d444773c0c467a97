type Policy = { createHTML(text: string): string };
type TrustedTypes = { createPolicy(name: string, rules: Policy): Policy };

/** Browsers without Trusted Types take the text as it is. */
const asText: Policy = { createHTML: (text) => text };
const { trustedTypes } = globalThis as unknown as { trustedTypes?: TrustedTypes };
const policy = trustedTypes?.createPolicy('kontor-mail', asText) ?? asText;

/**
 * The one place that makes HTML of text: for frames without scripts, and for documents that are only parsed.
 * Nothing else of the page may show what it returns.
 */
export function trustedHtml(text: string): string {
  return policy.createHTML(text);
}

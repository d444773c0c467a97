import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';

/** The domain of a mail address in lower-case ASCII; empty when the domain is not valid. */
export function asciiDomainOf(email: string): string {
  return domainToASCII(
    email
      .slice(email.lastIndexOf('@') + 1)
      .trim()
      .replace(/\.$/, ''),
  ).toLowerCase();
}

/**
 * Domains below which anybody can rent a name, beside those of the public suffix list: clouds, help desks, and services
 * that send mail for others. Each name directly below is another organisation.
 */
const tenantDomains = new Set([
  ...['onmicrosoft.com', 'mail.onmicrosoft.com', 'onmicrosoft.us', 'onmicrosoft.de', 'partner.onmschina.cn'],
  ...['test-google-a.com', 'appspotmail.com', 'iam.gserviceaccount.com'],
  ...['zendesk.com', 'freshdesk.com', 'freshservice.com', 'freshsales.io', 'myfreshworks.com', 'freshemail.io'],
  ...['atlassian.net', 'jira.com', 'service-now.com', 'zohodesk.com', 'zohodesk.eu', 'zohosites.com'],
  ...['helpscoutapp.com', 'helpscout.net', 'intercom-mail.com', 'frontapp.com', 'gorgias.com', 'gorgias.io'],
  ...['groovehq.com', 'kayako.com', 'happyfox.com', 'deskpro.com', 'desk.com', 'zammad.com', 'uservoice.com'],
  ...['reamaze.com', 'reamaze.io', 'ladesk.com', 'supportbee.com', 'supportsystem.com', 'helprace.com'],
  ...['crisp.email', 'crisp.help', 'tawk.email', 'topdesk.net', 'odoo.com', 'bitrix24.com', 'bitrix24.de'],
  ...['salesforce.com', 'my.salesforce.com', 'force.com', 'hs-inbox.com', 'hubspotemail.net', 'pipedrivemail.com'],
  ...['amazonses.com', 'sendgrid.net', 'mailgun.org', 'mtasv.net', 'sparkpostmail.com', 'mandrillapp.com'],
  ...['mailchimpapp.net', 'mcsv.net', 'rsgsv.net', 'mailjet.com', 'mjt.lu', 'myshopify.com', 'shopifyemail.com'],
]);

/** The longest domain of `tenantDomains` that is above this one. */
function tenantDomainAbove(domain: string): string | undefined {
  const labels = domain.split('.');
  return labels
    .slice(1)
    .map((_label, index) => labels.slice(index + 1).join('.'))
    .find((parent) => tenantDomains.has(parent));
}

/** Whether the domain is in `tenantDomains`, or below one: tenants of the same service are strangers to each other. */
export function isTenantDomain(domain: string): boolean {
  return tenantDomains.has(domain) || tenantDomainAbove(domain) !== undefined;
}

/**
 * The part of a domain that an organisation registered, by the public suffix list: `mail.example.co.uk` becomes
 * `example.co.uk`. Sites that give subdomains to anybody, such as github.io and `tenantDomains`, count as suffixes. A
 * suffix itself is returned unchanged.
 */
function organisationalDomain(domain: string): string {
  const above = tenantDomainAbove(domain);
  if (above === undefined) return getDomain(domain, { allowPrivateDomains: true }) ?? domain;
  const tenant = domain.slice(0, -above.length - 1);
  return `${tenant.slice(tenant.lastIndexOf('.') + 1)}.${above}`;
}

/** Whether the owner of a domain may vouch for another: the same organisation, or the service that rents it out. */
export function mayVouchFor(one: string, other: string): boolean {
  return isSameOrganisation(one, other) || (one !== '' && one === tenantDomainAbove(other));
}

/** Whether two domains belong to the same organisation (RFC 7489 §3.2). */
export function isSameOrganisation(one: string, other: string): boolean {
  return one !== '' && other !== '' && organisationalDomain(one) === organisationalDomain(other);
}

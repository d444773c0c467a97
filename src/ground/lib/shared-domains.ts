import { getDomainWithoutSuffix, getPublicSuffix } from 'tldts';

/** Providers that give addresses to anybody, under many endings. */
const names = new Set(
  (
    'aol fastmail gmail gmx googlemail hotmail live msn outlook proton protonmail rocketmail tutanota yahoo yandex ' +
    'ymail'
  ).split(' '),
);
const domains = new Set(
  (
    '126.com 163.com att.net bigpond.com bk.ru bluewin.ch btinternet.com comcast.net daum.net duck.com free.fr ' +
    'freenet.de hanmail.net hey.com icloud.com inbox.ru interia.pl laposte.net libero.it list.ru mac.com ' +
    'mail.com mail.de mail.ru mailbox.org me.com naver.com o2.pl onet.pl orange.fr pm.me posteo.de qq.com ' +
    'rediffmail.com rogers.com seznam.cz sfr.fr shaw.ca sina.com sky.com t-online.de telus.net terra.com.br ' +
    'tiscali.it tuta.com uol.com.br verizon.net virgilio.it wanadoo.fr web.de wp.pl zoho.com'
  ).split(' '),
);

/** Whether strangers to each other have addresses below a domain: at a mail provider, or at a site of subdomains. */
export function isSharedDomain(domain: string): boolean {
  return (
    domains.has(domain) ||
    names.has(getDomainWithoutSuffix(domain) ?? '') ||
    getPublicSuffix(domain, { allowPrivateDomains: true }) === domain
  );
}

/** Whether nobody can own a domain, because it is an ending such as `com` or `co.uk`. */
export function isEnding(domain: string): boolean {
  return !domain.includes('.') || getPublicSuffix(domain) === domain;
}

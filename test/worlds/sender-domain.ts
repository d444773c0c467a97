import { generateKeyPairSync } from 'node:crypto';
import type { ResolveDns } from '@kontor/mail/dns.ts';
import { dkimSign } from 'mailauth/lib/dkim/sign.js';

/** An internet domain that sends mail: its DNS records and its key. */
export type SenderDomain = {
  records: Record<string, string[][]>;
  /** Adds the domain's DKIM signature to the mail. `fields` becomes `h=`. */
  sign(mail: Buffer, options?: { bodyLength?: number; fields?: string }): Promise<Buffer>;
};

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
export const signingKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** @param published `spf` and `dmarc` as TXT records; a missing record is not published */
export function senderDomain(domain: string, published: { spf?: string; dmarc?: string } = {}): SenderDomain {
  return {
    records: {
      [`s1._domainkey.${domain}`]: [[`v=DKIM1; k=rsa; p=${key}`]],
      ...(published.spf === undefined ? {} : { [domain]: [[published.spf]] }),
      ...(published.dmarc === undefined ? {} : { [`_dmarc.${domain}`]: [[published.dmarc]] }),
    },
    sign: async (mail, { bodyLength, fields } = {}) => {
      const signer = { signingDomain: domain, selector: 's1', privateKey: signingKey };
      const part = bodyLength === undefined ? {} : { maxBodyLength: bodyLength };
      const options = {
        ...signer,
        canonicalization: 'relaxed/relaxed',
        signatureData: [{ ...signer, ...part }],
        ...(fields !== undefined && { headerList: fields.split(':') }),
      };
      const { signatures, errors } = await dkimSign(mail, options);
      if (errors.length > 0) throw new Error('the mail could not be signed', { cause: errors });
      return Buffer.concat([Buffer.from(signatures), mail]);
    },
  };
}

/** DNS with the TXT records of these domains. It keeps the queries. */
export function dnsOf(...domains: SenderDomain[]): { resolve: ResolveDns; asked: string[] } {
  const records = Object.assign({}, ...domains.map((domain) => domain.records)) as Record<string, string[][]>;
  const asked: string[] = [];
  return {
    asked,
    resolve: async (name, type) => {
      asked.push(`${type} ${name}`);
      const found = type === 'TXT' ? records[name.toLowerCase()] : undefined;
      if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
      return found;
    },
  };
}

import type { ResolveDns } from '@kontor/mail/dns.ts';
import type { Blobs } from '../../ground/blobs/blobs.ts';
import type { Db } from '../../ground/database/db.ts';
import type { Logger } from '../../ground/platform/log.ts';
import type { Config } from '../../ground/settings/config.ts';
import type { MailParser } from './mail-parser.ts';

/** Everything that ingestion needs: stores, the parser, the log and the mail settings. */
export type Stores = {
  db: Db;
  blobs: Blobs;
  mailParser: MailParser;
  log: Logger;
  config: Pick<Config, 'mailFrom' | 'mailAuthservId' | 'authSecret'>;
  /** Looks up the records that authenticate senders. */
  resolveDns: ResolveDns;
};

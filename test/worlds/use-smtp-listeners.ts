import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import { keptCertificate } from '../../src/ground/platform/kept-certificate.ts';
import {
  type IncomingMail,
  type MailKeeper,
  openSmtpListener,
  type SmtpListenerOptions,
} from '../../src/mail/smtp-listener.ts';
import { openSmtpClient } from '../peers/smtp-client.ts';

/** SMTP listeners, and anything else to close, for the length of one test. Call at the top of a test file. */
export function useSmtpListeners() {
  const closers: (() => unknown)[] = [];
  const closeAfter = (close: () => unknown): void => void closers.push(close);
  let folder = '';
  let ownTls = { certPath: '', keyPath: '' };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kontor-certificate-'));
    const path = await keptCertificate(folder, { name: 'own.pem', host: 'mx.example.com' });
    ownTls = { certPath: path, keyPath: path };
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Opens a listener for every mailbox of example.com. Returns also the stored mails and the log. */
  async function listen(options: Partial<SmtpListenerOptions> & { keep?: MailKeeper['keep'] } = {}) {
    const kept: IncomingMail[] = [];
    const log = { warn: vi.fn(), debug: vi.fn() };
    const { keep = async (mail: IncomingMail) => void kept.push(mail) } = options;
    const keeper = { isKnown: async (address: string) => address.endsWith('@example.com'), keep };
    const listener = await openSmtpListener({
      host: '127.0.0.1',
      port: 0,
      name: 'mx.example.com',
      tls: ownTls,
      keeper,
      log,
      ...options,
      limits: { closeSecondsMax: 0.2, ...options.limits },
    });
    closeAfter(() => listener.close());
    const client = async () => {
      const opened = await openSmtpClient(listener.port);
      closeAfter(() => opened.hangUp());
      await opened.say('EHLO client.example.org');
      return opened;
    };
    return { ...listener, kept, log, client };
  }

  return { listen, closeAfter, folder: () => folder };
}

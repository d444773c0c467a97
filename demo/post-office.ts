import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { openOutbox } from '../src/mail/providers/outbox.ts';

/**
 * A mail server of this machine, to which the demo hands its answers, as a real workshop does. It takes mail for
 * anybody, passes none on, and keeps each as a file in the folder.
 * @returns its address for `SMTP_URL`
 */
export async function openPostOffice(folder: string): Promise<{ url: string; close(): Promise<void> }> {
  const outbox = openOutbox(folder);
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    logger: false,
    onData: (stream, { envelope: { mailFrom, rcptTo } }, callback) => {
      const envelopeFrom = mailFrom === false ? '' : mailFrom.address;
      buffer(stream)
        .then((raw) => outbox.send({ envelopeFrom, recipients: rcptTo.map(({ address }) => address), raw }))
        .then((outcome) => callback(outcome.ok ? null : new Error(outcome.reason)))
        .catch(callback);
    },
  });
  // A client that hangs up is no fault of the server's.
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The server listens on TCP, so its address is an object.
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

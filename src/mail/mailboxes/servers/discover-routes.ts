import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import type { Server } from '../../../ground/http/http.ts';
import { answerBesideTx } from '../../../ground/http/idempotency.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
import { emailAddress, nullable, oneOf } from '../../../ground/http/schema.ts';
import { providerKeys } from '../../providers/registry.ts';
import { serverEnd } from '../schema.ts';
import { discoverServers, discoverySources } from './discover.ts';

const workspace = inWorkspace('mailboxes');

const discovered = Type.Object({
  candidates: Type.Array(
    Type.Object({
      source: {
        ...oneOf(discoverySources),
        description:
          '`srv` and `mx`: DNS records; `autoconfig`: a file of the domain for mail programs; `guess`: a usual name.',
      },
      provider: { ...oneOf(Object.values(providerKeys)), description: 'How to connect the mailbox.' },
      imap: nullable(serverEnd),
      smtp: nullable(serverEnd),
    }),
    { description: 'The likeliest first.' },
  ),
});

/** @param inTurn limits concurrent calls, because each waits for name servers */
export function discoverRoutes(
  server: Server,
  { db, resolveDns, publicWeb }: App,
  inTurn: <Result>(work: () => Promise<Result>, of?: string) => Promise<Result>,
): void {
  workspace.post(server, '/mailboxes/discover', {
    id: 'discoverMailboxServers',
    summary: 'Find the servers of a mailbox by its address',
    description:
      'Looks up DNS records, autoconfig files of the domain and well-known providers. Connects to no mail server.',
    can: 'mailbox.manage',
    body: Type.Object({ address: emailAddress }),
    answers: { 200: discovered },
    handler: (request, reply) =>
      inTurn(
        () =>
          answerBesideTx(db, request, reply, async () => ({
            status: 200,
            body: { candidates: await discoverServers({ resolveDns, publicWeb }, request.body.address) },
          })),
        request.params.workspaceId,
      ),
  });
}

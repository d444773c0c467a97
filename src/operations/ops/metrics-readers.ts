import type { IncomingHttpHeaders } from 'node:http';
import { hostOf } from '../../ground/http/own-host.ts';
import { isLoopback } from '../../ground/lib/networks.ts';
import type { Config } from '../../ground/settings/config.ts';
import { secretJudge } from '../../transport/webhooks/known-secret.ts';

type Caller = { ip: string; headers: IncomingHttpHeaders };

/** Decides who may read the metrics: callers on this machine, and callers with the operator's token. */
export function metricsReaders({ metricsToken }: Pick<Config, 'metricsToken'>): (caller: Caller) => boolean {
  const isToken = metricsToken === undefined ? () => false : secretJudge([metricsToken]);
  return ({ ip, headers }) => {
    // A proxy on this machine also forwards requests from other machines.
    const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined;
    // A page of another site may have pointed its name at this machine.
    const isOwnHost = headers.host === undefined || isLoopback(hostOf(headers.host) ?? 'none');
    return (isLoopback(ip) && isOwnHost && !isForwarded) || isToken(headers.authorization?.replace(/^Bearer +/i, ''));
  };
}

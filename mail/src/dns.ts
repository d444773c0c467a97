/** DNS look-ups of any record type, with limits, for checking the sender of a mail. */
import { Resolver } from 'node:dns/promises';

/** Rejects with the codes of node:dns. ENOTFOUND and ENODATA mean no record, any other code means a failed look-up. */
export type ResolveDns = (name: string, type: string) => Promise<string[] | string[][]>;

export type DnsLimits = { queriesMax: number; millisecondsMax: number };

const queryMilliseconds = 1_500;
const triesMax = 2;

export function openDns(): ResolveDns {
  const resolver = new Resolver({ timeout: queryMilliseconds, tries: triesMax });
  return async (name, type) => (await resolver.resolve(name, type)) as string[] | string[][];
}

/** Limits the number of queries and the time since the first query. Further queries fail at once with ETIMEOUT. */
export function boundedDns(resolve: ResolveDns, { queriesMax, millisecondsMax }: DnsLimits): ResolveDns {
  let queries = 0;
  let deadline: number | undefined;
  return async (name, type) => {
    deadline ??= performance.now() + millisecondsMax;
    const left = deadline - performance.now();
    if (!isName(name)) throw Object.assign(new Error('not a DNS name'), { code: 'ENOTFOUND' });
    if (++queries > queriesMax || left <= 0) throw timeout();
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(timeout()), left);
    });
    try {
      return await Promise.race([resolve(name, type), silence]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** Resolvers fail for names beyond the limits of RFC 1035 §2.3.4. A sender could use that to abort a check. */
function isName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63);
}

function timeout(): Error {
  return Object.assign(new Error('DNS did not answer in time'), { code: 'ETIMEOUT' });
}

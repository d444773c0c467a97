/** DNS as the checks of a mail's sender need it: any record type, and an end to it. */
import { Resolver } from 'node:dns/promises';

/** Rejects with the codes of node:dns: ENOTFOUND and ENODATA say that there is nothing, any other that nobody knows. */
export type ResolveDns = (name: string, type: string) => Promise<string[] | string[][]>;

export type DnsLimits = { queriesMax: number; millisecondsMax: number };

const queryMilliseconds = 1_500;
const triesMax = 2;

export function openDns(): ResolveDns {
  const resolver = new Resolver({ timeout: queryMilliseconds, tries: triesMax });
  return async (name, type) => (await resolver.resolve(name, type)) as string[] | string[][];
}

/** Answers so many queries, and for so long after the first one; then each fails at once as if the server were silent. */
export function boundedDns(resolve: ResolveDns, { queriesMax, millisecondsMax }: DnsLimits): ResolveDns {
  let queries = 0;
  let deadline: number | undefined;
  return async (name, type) => {
    deadline ??= performance.now() + millisecondsMax;
    const left = deadline - performance.now();
    if (!isName(name)) throw Object.assign(new Error('no name of DNS'), { code: 'ENOTFOUND' });
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

/** RFC 1035 §2.3.4. Resolvers say of other names that they failed, by which a stranger could have a check given up. */
function isName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => label !== '' && label.length <= 63);
}

function timeout(): Error {
  return Object.assign(new Error('DNS did not answer in time'), { code: 'ETIMEOUT' });
}

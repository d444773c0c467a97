import { monitorEventLoopDelay } from 'node:perf_hooks';
import Fastify from 'fastify';
import type { LimitFigures } from './house.ts';
import { openLimitPool } from './limit-pool.ts';
import type { Given } from './operation.ts';
import { operations } from './operations.ts';

/**
 * The limit: what Fastify, `pg` and PostgreSQL reach without any other work. `main.ts` starts this process with the
 * database's address as parameter. The process sends its own address, and ends with its parent.
 */
const [databaseUrl = ''] = process.argv.slice(2);
const pool = openLimitPool(databaseUrl);
const delay = monitorEventLoopDelay();
delay.enable();
const server = Fastify();
// Each operation gets a path of its own, since several share a pattern.
for (const { name, method, url, isRefused, limit } of operations) {
  server.route({
    method,
    url: `/${name}${url}`,
    handler: isRefused
      ? async (request, reply) => reply.code(401).send(await limit(pool, request as Given))
      : (request) => limit(pool, request as Given),
  });
}
server.get('/nothing', async () => ({ id: 'nothing' }));
server.get('/figures', async (): Promise<LimitFigures> => {
  const { user, system } = process.cpuUsage();
  const delayP99Ms = delay.percentile(99) / 1e6;
  delay.reset();
  return { cpuSeconds: (user + system) / 1e6, delayP99Ms };
});
process.send?.({ url: await server.listen({ host: '127.0.0.1', port: 0 }) });
process.once('disconnect', () => process.exit());
pool.on('error', (error) => {
  console.error(error);
  process.exit(1);
});

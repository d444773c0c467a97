import Fastify from 'fastify';
import { openLimitPool } from './limit-pool.ts';
import { operations } from './operations.ts';

/**
 * The limit: what Fastify, `pg` and PostgreSQL give when nothing else is done. A process of its own, started by
 * `main.ts` with the database's address as its parameter; it tells its address and ends with its parent.
 */
const [databaseUrl = ''] = process.argv.slice(2);
const pool = openLimitPool(databaseUrl);
const server = Fastify();
for (const { method, url, limit } of operations) {
  server.route({ method, url, handler: (request) => limit(pool, request) });
}
server.get('/nothing', async () => ({ id: 'nothing' }));
server.get('/cpu', async () => process.cpuUsage());
process.send?.({ url: await server.listen({ host: '127.0.0.1', port: 0 }) });
process.once('disconnect', () => process.exit());
pool.on('error', (error) => {
  console.error(error);
  process.exit(1);
});

/**
 * Measures the cost of telemetry: starts the service without and with a collector, in turns, on one database. Prints
 * the time of a start, the memory after it, and processor time and speed of reading a ticket. Run it in a checkout of
 * an earlier release too, to see that telemetry costs nothing while it is off.
 */
import { parseArgs } from 'node:util';
import { openServer } from '../../test/harness/small-server.ts';
import { call, makeOwner } from '../../test/worlds/factories.ts';
import { readProcessFigures } from '../house.ts';
import { drive } from '../load.ts';
import { wholeNumber } from '../options.ts';
import { proveAt } from './place.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '3' } } });
const rounds = wholeNumber('--rounds', values.rounds, 100);
const seconds = 5;
const connections = 8;

type Figures = { startMs: number; residentMb: number; perSecond: number; cpuMicros: number };

const collector = await openServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200).end());
});
const ways: Record<string, Record<string, string>> = {
  off: {},
  on: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  'on, a tenth of the traces': {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  },
};

await proveAt(1, async ({ house, urls: [url = ''], serviceOf }) => {
  const owner = await makeOwner(house);
  const { body: ticket } = await owner.call('POST', '/tickets', { subject: 'Printer', body: 'It hums.' });
  const path = `/v1/workspaces/${owner.workspaceId}/tickets/${ticket.id}`;
  const headers = { authorization: `Bearer ${owner.token}`, 'x-workspace-id': owner.workspaceId };
  if ((await call({ url }, 'GET', path, undefined, headers)).status !== 200) throw new Error('the ticket is not read');
  const asking = Array.from({ length: connections }, () => [{ method: 'GET' as const, path, headers }]);
  const measure = async (settings: Record<string, string>): Promise<Figures> => {
    const service = await serviceOf(settings);
    try {
      const { residentMb } = await readProcessFigures(service.url);
      await drive({ url: service.url, asking, seconds: 2 });
      const before = await readProcessFigures(service.url);
      const { requests, requestsPerSecond } = await drive({ url: service.url, asking, seconds });
      const after = await readProcessFigures(service.url);
      const cpuMicros = ((after.cpuSeconds - before.cpuSeconds) * 1e6) / requests;
      return { startMs: service.startMs, residentMb, perSecond: requestsPerSecond, cpuMicros };
    } finally {
      await service.stop();
    }
  };
  for (let round = 1; round <= rounds; round++) {
    for (const [name, settings] of Object.entries(ways)) {
      const { startMs, residentMb, perSecond, cpuMicros } = await measure(settings);
      console.log(
        `${round}. ${name}: start ${startMs} ms, ${residentMb} MB, ` +
          `${Math.round(perSecond)} requests a second, ${Math.round(cpuMicros)} µs of processor each`,
      );
    }
  }
});
await collector.close();

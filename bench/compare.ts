import { readFile } from 'node:fs/promises';
import { type Report, tableText, whole } from './report.ts';

/**
 * Compares two runs operation by operation. The ratio to the limit measures the code; the other figures also measure
 * the machine.
 */
async function compare(beforePath: string, afterPath: string): Promise<string> {
  const [before, after] = await Promise.all([readReport(beforePath), readReport(afterPath)]);
  const rows = after.operations.flatMap((operation) => {
    const earlier = before.operations.find(({ name }) => name === operation.name);
    if (earlier === undefined) return [];
    return [
      [
        operation.name,
        whole(earlier.service.requestsPerSecond),
        whole(operation.service.requestsPerSecond),
        change(earlier.service.requestsPerSecond, operation.service.requestsPerSecond),
        earlier.ratio.toFixed(2),
        operation.ratio.toFixed(2),
        whole(earlier.service.cpuMicros),
        whole(operation.service.cpuMicros),
        earlier.service.p99Ms.toFixed(1),
        operation.service.p99Ms.toFixed(1),
      ],
    ];
  });
  const header = ['operation', 'before/s', 'after/s', 'change', 'ratio', 'after', 'cpu µs', 'after', 'p99 ms', 'after'];
  const sameMachine = before.processor === after.processor && before.processors === after.processors;
  return [
    tableText([header, ...rows]),
    '',
    `resident ${before.service.residentMb} → ${after.service.residentMb} MB, ` +
      `ready after ${before.service.startMs} → ${after.service.startMs} ms`,
    ...(sameMachine ? [] : ['The runs are of different machines: compare the ratios alone.']),
    ...(before.size === after.size ? [] : [`The runs are of different sizes: ${before.size} and ${after.size}.`]),
  ].join('\n');
}

function change(before: number, after: number): string {
  const percent = (after / before - 1) * 100;
  return `${percent < 0 ? '' : '+'}${percent.toFixed(1)} %`;
}

async function readReport(path: string): Promise<Report> {
  // Written by `bench/main.ts --json`.
  return JSON.parse(await readFile(path, 'utf8')) as Report;
}

const [beforePath, afterPath] = process.argv.slice(2);
if (beforePath === undefined || afterPath === undefined) {
  console.error('usage: npm run bench:compare -- <before.json> <after.json>');
  process.exitCode = 2;
} else {
  console.log(await compare(beforePath, afterPath));
}

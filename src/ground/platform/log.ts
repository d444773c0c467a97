import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { currentTraceId } from '../lib/traced.ts';
import { correlation } from './correlation.ts';

export type Logger = PinoLogger;

/**
 * Writes structured log lines. Each line carries the id of its request or job.
 * @param destination standard output unless given
 */
export function openLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => {
      const correlationId = correlation.getStore();
      const traceId = currentTraceId();
      if (traceId !== undefined) return { correlationId, traceId };
      return correlationId === undefined ? {} : { correlationId };
    },
    serializers: { err: faultOf },
    redact: ['authorization', '*.authorization', 'password', '*.password', 'token', '*.token'],
  };
  return pino(options, destination ?? openStandardOutput());
}

/** All logs of a process share one output. Their lines stay in order, and one exit listener writes the last lines. */
let standardOutput: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  standardOutput ??= byTurns(pino.destination({ fd: 1, sync: true }));
  return standardOutput;
}

/** Writes the lines of one event loop turn together: a system call per line was a large part of a request's cost. */
function byTurns(sink: DestinationStream): DestinationStream {
  let lines = '';
  const flush = (): void => {
    if (lines === '') return;
    const written = lines;
    lines = '';
    sink.write(written);
  };
  process.on('exit', flush);
  return {
    write: (line) => {
      if (lines === '') setImmediate(flush);
      lines += line;
    },
  };
}

type Fault = { name?: string; stack?: string; code?: unknown; constraint?: unknown; table?: unknown; cause?: unknown };

/**
 * The fields of an error to log. The list is closed, because other fields hold data: pg's `detail` and `where`,
 * nodemailer's `response`.
 */
function faultOf(err: unknown): unknown {
  if (!(err instanceof Error)) return withoutRows(String(err));
  const { name, stack, code, constraint, table } = err as Fault; // fields of pg and Node, where present
  const message = messagesOf(err).map(withoutRows).join(': ');
  const frames = isOverload(err) ? [] : (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { type: name, message, stack: [`${name}: ${message}`, ...frames].join('\n'), code, constraint, table };
}

/** Many statements at once wait in vain for a connection. Where they wait says nothing of the reason. */
function isOverload({ message }: Error): boolean {
  return message === 'timeout exceeded when trying to connect';
}

const causesMax = 5;

/** The messages of an error and of its causes. */
function messagesOf(err: unknown): string[] {
  const messages: string[] = [];
  for (let fault = err; fault instanceof Error && messages.length <= causesMax; fault = fault.cause) {
    messages.push(fault.message);
  }
  return messages;
}

/** Removes the row that PostgreSQL quotes in its messages. */
function withoutRows(text: string): string {
  return text.replace(/(Key \(.{0,500}?\)=|Failing row contains )\([\s\S]*/, '$1(…)');
}

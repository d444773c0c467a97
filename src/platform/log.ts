import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { correlation } from './correlation.ts';

export type Logger = PinoLogger;

/**
 * Structured lines; every line names the request or job it belongs to.
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
      return correlationId === undefined ? {} : { correlationId };
    },
    serializers: { err: faultOf },
    redact: ['authorization', '*.authorization', 'password', '*.password', 'token', '*.token'],
  };
  return pino(options, destination ?? openStandardOutput());
}

/** One for all logs of a process: their lines stay in order, and one listener writes the last of them at its exit. */
let standardOutput: DestinationStream | undefined;

function openStandardOutput(): DestinationStream {
  standardOutput ??= byTurns(pino.destination({ fd: 1, sync: true }));
  return standardOutput;
}

/** Lines of one turn of the event loop are written as one: a system call a line was a good part of what a request costs. */
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

/** What is told of an error. By name, because others hold data: pg's `detail` and `where`, nodemailer's `response`. */
function faultOf(err: unknown): unknown {
  if (!(err instanceof Error)) return withoutRows(String(err));
  const { name, stack, code, constraint, table } = err as Fault; // pg's and node's own fields, where they have any
  const message = messagesOf(err).map(withoutRows).join(': ');
  const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { type: name, message, stack: [`${name}: ${message}`, ...frames].join('\n'), code, constraint, table };
}

const causesMax = 5;

/** An error's own message and those of its causes. */
function messagesOf(err: unknown): string[] {
  const messages: string[] = [];
  for (let fault = err; fault instanceof Error && messages.length <= causesMax; fault = fault.cause) {
    messages.push(fault.message);
  }
  return messages;
}

/** PostgreSQL's sentences that quote a row, without it. */
function withoutRows(text: string): string {
  return text.replace(/(Key \(.*?\)=|Failing row contains )\([\s\S]*/, '$1(…)');
}

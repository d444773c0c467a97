import { type Logger as PinoLogger, pino } from 'pino';
import { correlation } from './correlation.ts';

export type Logger = PinoLogger;

/** Structured lines on standard output; every line names the request or job it belongs to. */
export function openLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: () => {
      const correlationId = correlation.getStore();
      return correlationId === undefined ? {} : { correlationId };
    },
    redact: ['authorization', '*.authorization', 'password', '*.password', 'token', '*.token'],
  });
}

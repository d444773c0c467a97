import { TraceFlags } from '@opentelemetry/api';
import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import { BatchSpanProcessor, type ReadableSpan, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace';

type Options = { exporter: SpanExporter; delayMs: number; spansMax: number; onLost: (spans: number) => void };

/** Sends spans in batches. Counts the spans that are dropped because too many wait or an export failed. */
export function countedSpans({ exporter, delayMs, spansMax, onLost }: Options): SpanProcessor {
  let waiting = 0;
  const batches = new BatchSpanProcessor({
    exporter: {
      export: (spans, done) => {
        waiting -= spans.length;
        exporter.export(spans, (result) => {
          if (isFailed(result)) onLost(spans.length);
          done(result);
        });
      },
      shutdown: () => exporter.shutdown(),
    },
    scheduledDelayMillis: delayMs,
    maxQueueSize: spansMax,
    maxExportBatchSize: Math.min(512, spansMax),
  });
  return {
    onStart: (span, context) => batches.onStart(span, context),
    onEnd: (span: ReadableSpan) => {
      if ((span.spanContext().traceFlags & TraceFlags.SAMPLED) === 0) return;
      // The processor would drop the span without telling.
      if (waiting >= spansMax) {
        onLost(1);
        return;
      }
      waiting++;
      batches.onEnd(span);
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

export function isFailed({ code }: ExportResult): boolean {
  return code === ExportResultCode.FAILED;
}

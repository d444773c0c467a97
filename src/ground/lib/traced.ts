/**
 * Work that a trace shows as a step. The fields are names from the code: no values, no addresses, nothing of a tenant.
 */
export type TracedWork =
  /** The text has placeholders instead of values. */
  | { kind: 'sql'; text: string }
  /** `traceparent` is of the request that caused the job. */
  | { kind: 'job'; name: string; traceparent?: string | undefined }
  /** A request to another server: `Microsoft 365`, `GET`. */
  | { kind: 'call'; peer: string; operation: string };

/** Headers that carry a trace to another server (W3C Trace Context). Empty without a trace. */
export type TraceHeaders = { traceparent?: string; tracestate?: string };

/** How work ended. A code is a fault, unless it is the status of a good answer. */
export type WorkEnd = { status?: number; fault?: string | undefined };

export type Tracer = {
  run<Result>(
    work: TracedWork,
    run: (headers: TraceHeaders) => Promise<Result>,
    endOf: (result: Result) => WorkEnd,
  ): Promise<Result>;
  /** The headers of the current step. */
  headers(): TraceHeaders;
  /** The id of the current trace. */
  traceId(): string | undefined;
};

/** Set only while telemetry is on. So a step costs one comparison while it is off. */
let tracer: Tracer | undefined;

/** @returns a function that ends the tracing */
export function traceBy(next: Tracer): () => void {
  tracer = next;
  return () => {
    if (tracer === next) tracer = undefined;
  };
}

/** Runs work as a step of the current trace, if any. */
export function traced<Result>(
  work: TracedWork,
  run: (headers: TraceHeaders) => Promise<Result>,
  endOf: (result: Result) => WorkEnd = () => ({}),
): Promise<Result> {
  return tracer === undefined ? run({}) : tracer.run(work, run, endOf);
}

export function currentTraceparent(): string | undefined {
  return tracer?.headers().traceparent;
}

export function currentTraceId(): string | undefined {
  return tracer?.traceId();
}

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { FastifyRequest } from 'fastify';
import type { Server } from '../http/http.ts';
import type { TracedWork, TraceHeaders, Tracer, WorkEnd } from '../lib/traced.ts';
import { statementGroup } from './statement-group.ts';

const propagator = new W3CTraceContextPropagator();
const carrier = {
  get: (headers: object, name: string) => (headers as Record<string, string | undefined>)[name],
  set: (headers: object, name: string, value: string) => Object.assign(headers, { [name]: value }),
  keys: (headers: object) => Object.keys(headers),
};

/** The step in which the current code runs. */
const current = new AsyncLocalStorage<Context>();

/** Turns the steps of requests and jobs into spans. */
export function openTracer(tracer: OtelTracer): Tracer {
  return {
    run: (work, run, endOf) => {
      const parent = parentOf(work);
      // Without a request or a job around it, a statement is regular looking, which nobody wants to see. A `begin`
      // travels with the next statement.
      if (work.kind === 'sql' && (parent === ROOT_CONTEXT || work.text === 'begin')) return run({});
      const { name, kind, attributes } = described(work);
      const span = tracer.startSpan(name, { kind, attributes }, parent);
      const context = trace.setSpan(parent, span);
      return current.run(context, async () => {
        try {
          const result = await run(headersOf(context));
          finish(span, endOf(result));
          return result;
        } catch (error) {
          finish(span, { fault: faultOf(error) });
          throw error;
        }
      });
    },
    headers: () => headersOf(current.getStore() ?? ROOT_CONTEXT),
    traceId: () => trace.getSpanContext(current.getStore() ?? ROOT_CONTEXT)?.traceId,
  };
}

/** A job continues the trace of the request that caused it, not what its process happens to do. */
function parentOf(work: TracedWork): Context {
  if (work.kind !== 'job') return current.getStore() ?? ROOT_CONTEXT;
  return propagator.extract(ROOT_CONTEXT, { traceparent: work.traceparent }, carrier);
}

function described(work: TracedWork): { name: string; kind: SpanKind; attributes: Attributes } {
  if (work.kind === 'sql') {
    const group = statementGroup(work.text);
    const attributes = { 'db.system.name': 'postgresql', 'db.query.summary': group };
    return { name: group, kind: SpanKind.CLIENT, attributes };
  }
  if (work.kind === 'job')
    return { name: `job ${work.name}`, kind: SpanKind.CONSUMER, attributes: { 'kontor.job': work.name } };
  const attributes = { 'kontor.peer': work.peer, 'kontor.operation': work.operation };
  return { name: `${work.peer} ${work.operation}`, kind: SpanKind.CLIENT, attributes };
}

function finish(span: Span, { status, fault }: WorkEnd): void {
  if (status !== undefined) span.setAttribute('http.response.status_code', status);
  const failed = fault ?? (status !== undefined && status >= 400 ? String(status) : undefined);
  if (failed !== undefined) {
    span.setAttribute('error.type', failed);
    span.setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}

/** A code or a class, never the message, which may quote a row or an address. */
function faultOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && /^[\w.-]{1,64}$/.test(code)) return code;
  return error instanceof Error ? error.constructor.name : 'unknown';
}

function headersOf(context: Context): TraceHeaders {
  const headers: TraceHeaders = {};
  propagator.inject(context, headers, carrier);
  return headers;
}

/** Makes each request a span that continues the caller's trace. Health checks are left out. */
export function watchRequests(server: Server, tracer: OtelTracer): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, _reply, done) => {
    const { method, routeOptions, headers } = request;
    if (routeOptions.config.probe) {
      done();
      return;
    }
    const caller = propagator.extract(ROOT_CONTEXT, headers, carrier);
    const route = routeOptions.url;
    const attributes = { 'http.request.method': method, ...(route !== undefined && { 'http.route': route }) };
    const name = route === undefined ? method : `${method} ${route}`;
    const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, caller);
    spans.set(request, span);
    current.run(trace.setSpan(caller, span), done);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    if (span !== undefined) {
      // A refusal is the caller's fault, so only the status tells of it.
      span.setAttribute('http.response.status_code', reply.statusCode);
      if (reply.statusCode >= 500) finish(span, { fault: String(reply.statusCode) });
      else span.end();
    }
    done();
  });
}

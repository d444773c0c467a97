import type {
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  RouteHandlerMethod,
  RouteOptions,
  RouteShorthandOptions,
} from 'fastify';
import type { Static, TSchema, TUnknown } from 'typebox';
import type { Actor, Principal } from '../catalog/actor.ts';
import type { Permission } from '../catalog/permissions.ts';
import type { Db, Tx } from '../database/db.ts';
import type { Server } from './http.ts';
import { type Answer, answerInTx } from './idempotency.ts';
import { workspaceParams } from './schema.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** Where `inTx` begins its transactions. */
    db: Db;
  }
}

/** Schemas by status. A handler names the status only where there are several below 400. */
type Answers = Record<number, unknown>;
type BodyOf<A> = { [Status in keyof A]: A[Status] extends TSchema ? Static<A[Status]> : unknown }[keyof A];

type Contract<P, Q, B, A> = {
  /** The `operationId`. */
  id: string;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  body?: B;
  consumes?: string[];
  answers: A;
} & Pick<FastifyContextConfig, 'errors' | 'probe' | 'takesFile' | 'isLarge'> &
  Pick<RouteShorthandOptions, 'bodyLimit' | 'exposeHeadRoute' | 'onRequest'>;

type Result<Body> = Body | FastifyReply | Promise<Body | FastifyReply> | Promise<void>;

/** A handler of Fastify: it returns the body, or sends the answer. */
type Handled<R, A> = { handler: (request: R, reply: FastifyReply) => Result<BodyOf<A>> };

/** A change in one transaction, which honours an `Idempotency-Key`. */
type Changed<R, A> = {
  inTx: (tx: Tx, request: R) => Promise<204 extends keyof A ? unknown : BodyOf<A> | Answered<BodyOf<A>>>;
  /** Runs after the answer, also after a stored one. */
  afterwards?: (request: R) => void;
};

/** A body, and what else its answer has. */
export class Answered<Body> {
  readonly body: Body;
  readonly rest: Partial<Answer>;

  constructor(body: Body, rest: Partial<Answer>) {
    this.body = body;
    this.rest = rest;
  }
}

/** What `inTx` returns if its answer has more than a body. */
export function answer<Body>(body: Body, rest: Omit<Partial<Answer>, 'body'>): Answered<Body> {
  return new Answered(body, rest);
}

/** Fastify's request, as the schemas and the gate let it through. */
type Asked<P extends TSchema, Q extends TSchema, B extends TSchema, Caller> = FastifyRequest &
  Caller & { params: Static<P>; query: Static<Q>; body: Static<B> };

type Kind<R, A, Caller> = Caller extends { actor: Actor }
  ? { can: Permission } & (Handled<R, A> | Changed<R, A>)
  : Handled<R, A>;

type Register<Caller, Params extends TSchema> = <
  A extends Answers,
  P extends TSchema = Params,
  Q extends TSchema = TUnknown,
  B extends TSchema = TUnknown,
>(
  server: Server,
  path: string,
  operation: Contract<P, Q, B, A> & Kind<Asked<P, Q, B, Caller>, A, Caller>,
) => void;

type Verb = 'get' | 'post' | 'put' | 'patch' | 'delete';
type Methods<Caller, Params extends TSchema = TUnknown> = Record<Verb, Register<Caller, Params>>;

/** Registers operations of a workspace. Their paths go on from its own. */
export function inWorkspace(tag: string): Methods<{ actor: Actor }, typeof workspaceParams> {
  return methods({ tag, prefix: '/v1/workspaces/:workspaceId', ownParams: workspaceParams });
}

/** Registers operations that any signed-in person may call. */
export function forSignedIn(tag: string): Methods<{ principal: Principal }> {
  return methods({ tag, config: { signedIn: true } });
}

/** Registers operations that need no sign-in. */
export function forEveryone(tag: string): Methods<unknown> {
  return methods({ tag, config: { public: true } });
}

type Shared = { tag: string; prefix?: string; ownParams?: TSchema; config?: FastifyContextConfig };
type Operation = Contract<TSchema, TSchema, TSchema, Answers> & { can?: Permission } & Partial<
    Handled<FastifyRequest, Answers> & Changed<FastifyRequest, Answers>
  >;

function methods<M>({ tag, prefix = '', ownParams, config }: Shared): M {
  const registering = (method: string) => (server: Server, path: string, operation: Operation) => {
    const { id: operationId, params = ownParams, query: querystring, answers: response, ...others } = operation;
    const { summary, description, consumes, body, can, errors, probe, takesFile, isLarge, ...rest } = others;
    const { handler: _, inTx: __, afterwards: ___, ...options } = rest;
    const schema = { operationId, summary, description, tags: [tag], consumes, params, querystring, body, response };
    server.route({
      ...options,
      method,
      url: prefix + path,
      config: { ...config, can, errors, probe, takesFile, isLarge },
      schema: Object.fromEntries(Object.entries(schema).filter(([, part]) => part !== undefined)),
      handler: handlerOf(operation),
    } as RouteOptions);
  };
  const [get, post, put, patch, remove] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map(registering);
  return { get, post, put, patch, delete: remove } as M;
}

function handlerOf({ answers, handler, inTx, afterwards }: Operation): RouteHandlerMethod {
  const [status = 200, ...further] = Object.keys(answers).flatMap((one) => (Number(one) < 400 ? [Number(one)] : []));
  if (inTx !== undefined) {
    return async (request, reply) => {
      await answerInTx(request.server.db, request, reply, async (tx) => {
        const done = await inTx(tx, request);
        const { body, rest } = done instanceof Answered ? done : new Answered(done, {});
        return { status, body: status === 204 ? null : body, ...rest };
      });
      afterwards?.(request);
    };
  }
  if (handler === undefined) throw new Error('an operation has handler or inTx');
  if (status === 200 || further.length > 0) return handler;
  return async (request, reply) => {
    const body = await handler(request, reply.code(status));
    return status === 204 ? (body ?? null) : body;
  };
}

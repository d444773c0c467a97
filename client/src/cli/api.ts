import { errorOf } from '../error.ts';
import { readInput } from './ask.ts';
import { UsageError } from './faults.ts';
import { typed } from './program.ts';
import { type Command, openClient, parse } from './run.ts';

type Parameter = { name: string; in: 'path' | 'query' | 'header'; schema?: { type?: string } };
type Operation = { operationId: string; summary?: string; parameters?: Parameter[]; requestBody?: unknown };
type Document = { paths: Record<string, Record<string, Operation>> };
type Found = { method: string; path: string; operation: Operation };

/** Any operation of the API, by its name in the document that the service itself serves. */
export const api: Command = {
  usage: typed('api [<operation> [<parameter>=<value>]… [--body <json>|-]]'),
  about: 'Call any operation of the API by its operationId. Without a name, list the operations.',
  run: async (run, parameters) => {
    const { values, positionals } = parse(parameters, { body: { type: 'string' } } as const, api.usage);
    const kontor = await openClient(run);
    const document = (await kontor.get('/v1/openapi.json', { signal: run.signal })) as unknown as Document;
    const [name, ...words] = positionals;
    if (name === undefined) {
      for (const { operation } of operationsOf(document))
        if (run.output.isJson) run.output.json(operation);
        else run.output.line(`${operation.operationId.padEnd(28)} ${operation.summary ?? ''}`);
      return;
    }
    const found = operationsOf(document).find(({ operation }) => operation.operationId === name);
    if (found === undefined)
      throw new UsageError(`There is no operation "${name}": "${typed('api')}" lists all of them.`);
    const init = {
      params: paramsOf(found, words),
      ...(await bodyOf(values.body)),
      parseAs: 'stream',
      signal: run.signal,
    };
    // The document of the service says which parameters there are, so types cannot.
    const answer = await kontor.request(found.method as 'get', found.path as never, init as never);
    const { data, error, response } = answer as { data?: ReadableStream; error?: unknown; response: Response };
    if (!response.ok) throw errorOf(response, error);
    if (data) await run.output.copy(data, response.headers.get('content-type') ?? '');
  },
};

function operationsOf({ paths }: Document): Found[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
}

function paramsOf({ operation, path }: Found, words: string[]) {
  const params: Record<Parameter['in'], Record<string, unknown>> = { path: {}, query: {}, header: {} };
  for (const word of words) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
    const parameter = operation.parameters?.find((declared) => declared.name === name);
    if (parameter === undefined) throw new UsageError(`${operation.operationId} has no parameter "${name || word}".`);
    const place = params[parameter.in];
    place[name] = parameter.schema?.type === 'array' ? [...((place[name] as string[]) ?? []), value] : value;
  }
  const missing = [...path.matchAll(/\{(\w+)\}/g)]
    .map((match) => match[1] ?? '')
    .filter((name) => name !== 'workspaceId' && params.path[name] === undefined);
  if (missing.length > 0) throw new UsageError(`${operation.operationId} needs ${missing.join(', ')}.`);
  return params;
}

async function bodyOf(text: string | undefined): Promise<{ body?: unknown }> {
  if (text === undefined) return {};
  try {
    return { body: JSON.parse(text === '-' ? await readInput() : text) };
  } catch (error) {
    throw new UsageError(`The body is no JSON: ${(error as Error).message}.`);
  }
}

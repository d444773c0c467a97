import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { actorOf, type Server } from '../../../ground/http/http.ts';
import { answerInTx } from '../../../ground/http/idempotency.ts';
import { workspaceParams } from '../../../ground/http/schema.ts';
import { invalidRequest } from '../../../ground/lib/errors.ts';
import { acceptForms } from '../../../helpdesk/files/accept-forms.ts';
import { readUploads } from '../../../helpdesk/files/read-upload.ts';
import { type Reservation, reserveStorage } from '../../../helpdesk/files/reserve-storage.ts';
import type { ImportChoices } from '../raw-mails.ts';
import { beginImport, keepImport, refuseSecond, stopImport } from './keep-import.ts';
import { isOwnEntry } from './own-entries.ts';
import { listImports, readImport } from './queries.ts';
import {
  filesMax,
  type ImportQuery,
  importForm,
  importParams,
  importQuery,
  importSchema,
  importWithProblems,
} from './schema.ts';

const path = '/v1/workspaces/:workspaceId/imports';
const tags = ['mail'];
const can = 'mail.import';

/** Imports of uploaded mail files. */
export function importRoutes(server: Server, app: App): void {
  acceptForms(server, (scope) => startRoute(scope, app), filesMax);
  readRoutes(server, app);
  stopRoute(server, app);
}

function startRoute(server: Server, app: App): void {
  server.post(
    path,
    {
      config: { can, takesFile: true, errors: ['import.running', 'workspace.storage_full'] },
      schema: {
        operationId: 'startImport',
        summary: 'Import mail files',
        description:
          'Takes mbox files, .eml and .emlx files and zip archives of these, ' +
          'in a form with up to a thousand parts `file`. ' +
          'The import begins once all have arrived. It tells nobody, and imports no mail twice. ' +
          'One import of a workspace runs at a time.',
        tags,
        params: workspaceParams,
        querystring: importQuery,
        consumes: ['multipart/form-data'],
        body: importForm,
        response: { 202: importSchema },
      },
    },
    (request, reply) => start(request, reply, { app, choices: choicesOf(request.query) }),
  );
}

async function start(
  request: FastifyRequest,
  reply: FastifyReply,
  { app: { db, blobs, config }, choices }: { app: App; choices: ImportChoices },
): Promise<void> {
  const { importBytesMax } = config;
  const caller = actorOf(request);
  const { workspaceId } = caller;
  await using held = new AsyncDisposableStack();
  let room: Reservation | undefined;
  const uploads = await readUploads(request, {
    blobs,
    bytesMax: importBytesMax,
    filesMax,
    beforeReading: async (wanted) => {
      // A repeat gets the answer of its first, which may be under way.
      if (request.headers['idempotency-key'] === undefined) await refuseSecond(db, workspaceId);
      room = held.use(await reserveStorage(db, workspaceId, { kind: 'import', ...wanted }));
      return room;
    },
  });
  for (const { bytes } of uploads) held.use(bytes);
  request.body = uploads.map(({ fileName, bytes: { sha256 } }) => ({ fileName, sha256 }));
  await keepImport({ db, blobs }, caller, { uploads, choices }, (id) =>
    answerInTx(db, request, reply, async (tx, actor) => ({
      status: 202,
      body: await beginImport(tx, actor, { id, settle: (bytes) => room?.settle(tx, bytes) }),
    })),
  );
}

function choicesOf({ status = 'open', ownAddress = [] }: ImportQuery): ImportChoices {
  const ownAddresses = [ownAddress].flat().map((one) => one.trim());
  if (!ownAddresses.every(isOwnEntry)) throw invalidRequest({ path: 'query.ownAddress', key: 'not_a_sender' });
  return { status, ownAddresses };
}

function readRoutes(server: Server, { db }: App): void {
  server.get(
    path,
    {
      config: { can },
      schema: {
        operationId: 'listImports',
        summary: 'The newest 50 imports of the last 90 days',
        tags,
        params: workspaceParams,
        response: { 200: Type.Array(importSchema) },
      },
    },
    (request) => listImports(db, actorOf(request).workspaceId),
  );

  server.get(
    `${path}/:importId`,
    {
      config: { can, errors: ['import.not_found'] },
      schema: {
        operationId: 'readImport',
        summary: 'Read the progress and the result of an import',
        tags,
        params: importParams,
        response: { 200: importWithProblems },
      },
    },
    (request) => readImport(db, actorOf(request).workspaceId, request.params.importId),
  );
}

function stopRoute(server: Server, { db }: App): void {
  server.post(
    `${path}/:importId/stop`,
    {
      config: { can, errors: ['import.not_found'] },
      schema: {
        operationId: 'stopImport',
        summary: 'Stop an import',
        description:
          'It ends after its current mails, which takes a moment. What was imported stays. An import that has ended ' +
          'stays as it is.',
        tags,
        params: importParams,
        response: { 200: importSchema },
      },
    },
    (request, reply) =>
      answerInTx(db, request, reply, async (tx, actor) => ({
        status: 200,
        body: await stopImport(tx, actor, request.params.importId),
      })),
  );
}

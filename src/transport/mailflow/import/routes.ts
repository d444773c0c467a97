import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../../app.ts';
import { actorOf, type Server } from '../../../ground/http/http.ts';
import { answerInTx } from '../../../ground/http/idempotency.ts';
import { inWorkspace } from '../../../ground/http/operation.ts';
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

const workspace = inWorkspace('mail');

/** Imports of uploaded mail files. */
export function importRoutes(server: Server, app: App): void {
  acceptForms(server, (scope) => startRoute(scope, app), filesMax);
  readRoutes(server, app);
  stopRoute(server);
}

function startRoute(server: Server, app: App): void {
  workspace.post(server, '/imports', {
    id: 'startImport',
    summary: 'Import mail files',
    description:
      'Takes mbox files, .eml and .emlx files and zip archives of these, ' +
      'in a form with up to a thousand parts `file`. ' +
      'The import begins once all have arrived. It tells nobody, and imports no mail twice. ' +
      'One import of a workspace runs at a time.',
    can: 'mail.import',
    errors: ['import.running', 'workspace.storage_full'],
    takesFile: true,
    consumes: ['multipart/form-data'],
    query: importQuery,
    body: importForm,
    answers: { 202: importSchema },
    handler: (request, reply) => start(request, reply, { app, choices: choicesOf(request.query) }),
  });
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
  workspace.get(server, '/imports', {
    id: 'listImports',
    summary: 'The newest 50 imports of the last 90 days',
    can: 'mail.import',
    answers: { 200: Type.Array(importSchema) },
    handler: ({ actor }) => listImports(db, actor.workspaceId),
  });

  workspace.get(server, '/imports/:importId', {
    id: 'readImport',
    summary: 'Read the progress and the result of an import',
    can: 'mail.import',
    errors: ['import.not_found'],
    params: importParams,
    answers: { 200: importWithProblems },
    handler: ({ actor, params }) => readImport(db, actor.workspaceId, params.importId),
  });
}

function stopRoute(server: Server): void {
  workspace.post(server, '/imports/:importId/stop', {
    id: 'stopImport',
    summary: 'Stop an import',
    description:
      'It ends after its current mails, which takes a moment. What was imported stays. An import that has ended ' +
      'stays as it is.',
    can: 'mail.import',
    errors: ['import.not_found'],
    params: importParams,
    answers: { 200: importSchema },
    inTx: (tx, { actor, params }) => stopImport(tx, actor, params.importId),
  });
}

import { audit } from '../../access/audit/audit.ts';
import { lockWorkspace } from '../../access/workspaces/lock-workspace.ts';
import type { Actor } from '../../ground/catalog/actor.ts';
import { type Tx, together } from '../../ground/database/db.ts';
import { sql } from '../../ground/database/sql.ts';
import { changedFields } from '../../ground/lib/changed-fields.ts';
import { AppError } from '../../ground/lib/errors.ts';
import type { WorkspaceId } from '../../ground/lib/ids.ts';
import { requireConnected } from '../../mail/mailboxes/queries.ts';
import { keepReader, lockReader } from '../readers/keep-reader.ts';
import { getSurvey } from './queries.ts';
import { type CreateSurvey, type Survey, surveysMax, type UpdateSurvey } from './schema.ts';

type Content = Required<CreateSurvey>;
type Ref = { surveyId: string };

const nothingElse = { mailboxId: null, question: null, delayMinutes: 60, everyDays: 14, isActive: false };

/** Throws 400 for a mailbox that is not there, and 409 for too many, or a second one of the same kind. */
export async function createSurvey(tx: Tx, actor: Actor, input: CreateSurvey): Promise<Survey> {
  const { workspaceId } = actor;
  const content = { ...nothingElse, ...input };
  await lockSurveys(tx, workspaceId);
  const { count } = await tx.one<{ count: number }>(sql`
    select count(*) from surveys where workspace_id = ${workspaceId}`);
  if (count >= surveysMax) throw new AppError('survey.too_many', { max: surveysMax });
  const id = tx.newId();
  await check(tx, workspaceId, id, content);
  const { mailboxId, ask, scale, question, language, delayMinutes, everyDays, isActive } = content;
  await together([
    tx.run(sql`
      insert into surveys (workspace_id, id, mailbox_id, ask, scale, question, language, delay_minutes, every_days,
        is_active, version, created_at, updated_at)
      values (${workspaceId}, ${id}, ${mailboxId}, ${ask}, ${scale}, ${question}, ${language}, ${delayMinutes},
        ${everyDays}, ${isActive}, 1, ${tx.now}, ${tx.now})`),
    audit(tx, actor, { type: 'survey.created', subjectId: id, data: { ask, isActive } }),
  ]);
  await keepReader(tx, workspaceId);
  return getSurvey(tx, { workspaceId, surveyId: id });
}

/** Changes the given fields, for what is asked from now on. Throws 404, 412, and otherwise as `createSurvey`. */
export async function updateSurvey(
  tx: Tx,
  actor: Actor,
  { surveyId, ifMatch, ...input }: UpdateSurvey & Ref & { ifMatch: string[] | undefined },
): Promise<Survey> {
  const { workspaceId } = actor;
  await lockSurveys(tx, workspaceId);
  const key = { workspaceId, surveyId };
  const before = await getSurvey(tx, key);
  if (ifMatch !== undefined && !ifMatch.includes(`"${before.version}"`))
    throw new AppError('survey.version_mismatch', { currentVersion: before.version });
  const content = { ...contentOf(before), ...input };
  const changed = changedFields(contentOf(before), content);
  if (changed.length === 0) return before;
  await check(tx, workspaceId, surveyId, content);
  const { mailboxId, ask, scale, question, language, delayMinutes, everyDays, isActive } = content;
  await together([
    tx.run(sql`
      update surveys
      set mailbox_id = ${mailboxId}, ask = ${ask}, scale = ${scale}, question = ${question}, language = ${language},
        delay_minutes = ${delayMinutes}, every_days = ${everyDays}, is_active = ${isActive}, version = version + 1,
        updated_at = ${tx.now}
      where workspace_id = ${workspaceId} and id = ${surveyId}`),
    audit(tx, actor, { type: 'survey.changed', subjectId: surveyId, data: { ask, isActive, changed } }),
  ]);
  await keepReader(tx, workspaceId);
  return getSurvey(tx, key);
}

/** What was asked may still be answered. Throws 404. */
export async function deleteSurvey(tx: Tx, actor: Actor, { surveyId }: Ref): Promise<void> {
  const { workspaceId } = actor;
  await lockSurveys(tx, workspaceId);
  const { ask } = await getSurvey(tx, { workspaceId, surveyId });
  await together([
    tx.run(sql`delete from surveys where workspace_id = ${workspaceId} and id = ${surveyId}`),
    audit(tx, actor, { type: 'survey.deleted', subjectId: surveyId, data: { ask } }),
  ]);
  await keepReader(tx, workspaceId);
}

/** Changes take turns with each other, with those of rules, and with the reader that runs both. */
async function lockSurveys(tx: Tx, workspaceId: WorkspaceId): Promise<void> {
  await together([lockWorkspace(tx, workspaceId), lockReader(tx, workspaceId)]);
}

function contentOf(survey: Survey): Content {
  const { mailboxId, ask, scale, question, language, delayMinutes, everyDays, isActive } = survey;
  return { mailboxId, ask, scale, question, language, delayMinutes, everyDays, isActive };
}

async function check(
  tx: Tx,
  workspaceId: WorkspaceId,
  id: string,
  { mailboxId, ask }: Pick<Content, 'mailboxId' | 'ask'>,
): Promise<void> {
  const [same] = await together([
    tx.maybe(sql`
      select from surveys s
      where s.workspace_id = ${workspaceId} and s.id <> ${id} and s.ask = ${ask}
        and s.mailbox_id is not distinct from ${mailboxId}::uuid`),
    mailboxId === null ? undefined : requireConnected(tx, workspaceId, mailboxId),
  ]);
  if (same !== undefined) throw new AppError('survey.exists');
}

import { composeMail, newMessageId, replySubject } from '@kontor/mail/compose.ts';
import { oneLine } from '@kontor/mail/encoded-words.ts';
import { mintInvitationToken, mintUserToken } from '../../../access/accounts/link-token.ts';
import { lockAccount } from '../../../access/accounts/lock-account.ts';
import { findUser, isSessionOpen, languageOf } from '../../../access/accounts/queries.ts';
import { findTeamNameOf } from '../../../access/teams/queries.ts';
import { findPendingInvite, findWorkspaceOf } from '../../../access/workspaces/queries.ts';
import type { App } from '../../../app.ts';
import { findDigest } from '../../../events/notifications/digest.ts';
import { unsubscribePath, unsubscribeToken } from '../../../events/notifications/unsubscribe-token.ts';
import { automation } from '../../../ground/catalog/doer.ts';
import type { SystemMail } from '../../../ground/catalog/jobs.ts';
import type { Tx } from '../../../ground/database/db.ts';
import { AppError } from '../../../ground/lib/errors.ts';
import { newId } from '../../../ground/lib/ids.ts';
import { domainOf } from '../../../ground/lib/plus-address.ts';
import { findTrouble } from '../../../mail/mailboxes/status/troubles.ts';
import type { SendOutcome } from '../../../mail/transport.ts';
import type { Letter } from './letters/letter.ts';
import { type Letters, letters } from './letters/letters.ts';
import { plainName } from './letters/plain-name.ts';
import { renderTest, testedSubject } from './reply-test.ts';

type AddressedLetter = Letter & { to: string; html?: string; link?: string; unsubscribeUrl?: string; id?: string };

/**
 * Sends one system mail. The token of its link is made here, and only its hash is stored. A second run makes a second
 * token, and both links work until the person uses a link. Throws when sending is impossible for now: the queue
 * retries.
 */
export async function sendSystemMail(app: App, order: SystemMail): Promise<void> {
  const letter = await app.db.tx((tx) => writeLetter(tx, app.config.publicUrl, order));
  // The account was verified, or the invitation accepted or revoked, meanwhile.
  if (letter === undefined) return;
  const outcome = await sendLetter(app, letter);
  // Keeps addresses out of the log.
  const { email: _, ...ids } = { email: undefined, ...order };
  if (outcome.ok) {
    // Without a mail server, operators find the link in the log.
    if (app.config.mail.kind === 'outbox' && letter.link !== undefined) {
      app.log.info({ ...ids, link: letter.link }, 'a mail with a link lies in the outbox');
    }
    return;
  }
  // Shows only the code, because the reason may contain addresses. Mail that may have left is sent again: a second
  // link does no harm.
  if (!outcome.permanent) throw new Error(`the ${order.kind} mail could not be handed over for now: ${outcome.code}`);
  app.log.error({ ...ids, code: outcome.code }, 'a system mail was refused and is given up');
}

/** @returns undefined when the mail is no longer wanted */
async function writeLetter(tx: Tx, publicUrl: string, order: SystemMail): Promise<AddressedLetter | undefined> {
  if (order.kind === 'invitation') return writeInvitation(tx, publicUrl, order);
  if (order.kind === 'notification-digest') return writeDigest(tx, publicUrl, order);
  if (order.kind === 'reply-test') return writeReplyTest(tx, order);
  // The lock keeps the account's address until the commit, so that no link goes to a former address.
  await lockAccount(tx, order.userId);
  const user = await findUser(tx, order.userId);
  if (user === undefined) return undefined;
  const words = letters[await languageOf(tx, user.id)];
  if (order.kind === 'address-taken') {
    return { ...words.addressTakenLetter(publicUrl, user.emailVerifiedAt !== null), to: user.email };
  }
  if (order.kind === 'sign-in-changed')
    return { ...words.signInChangedLetter(order.change, publicUrl), to: user.email };
  if (order.kind === 'email-changed') return { ...words.emailChangedLetter(publicUrl), to: order.email };
  if (order.kind === 'change-email') {
    // A new password may have ended the session, to shut out the person who asked.
    if (!(await isSessionOpen(tx, order.sessionId))) return undefined;
    const link = `${publicUrl}/confirm-email?token=${await mintUserToken(tx, 'change-email', user.id, order.email)}`;
    return { ...words.changeEmailLetter(link), to: order.email, link };
  }
  if (order.kind === 'webhook-disabled') return writeWebhookDisabled(tx, { to: user.email, words }, order);
  if (order.kind === 'team-joined') return writeTeamJoined(tx, { to: user.email, publicUrl, words }, order);
  if (order.kind === 'mailbox-trouble') return writeMailboxTrouble(tx, { to: user.email, publicUrl, words }, order);
  if (order.kind === 'password-reset') {
    const link = `${publicUrl}/reset-password?token=${await mintUserToken(tx, 'password-reset', user.id)}`;
    return { ...words.resetLetter(link), to: user.email, link };
  }
  if (user.emailVerifiedAt !== null) return undefined;
  const link = `${publicUrl}/verify-email?token=${await mintUserToken(tx, 'verify-email', user.id)}`;
  return { ...words.verificationLetter(link), to: user.email, link };
}

async function writeInvitation(
  tx: Tx,
  publicUrl: string,
  { workspaceId, inviteId }: SystemMail & { kind: 'invitation' },
): Promise<AddressedLetter | undefined> {
  const invite = await findPendingInvite(tx, { workspaceId, inviteId, now: tx.now });
  if (invite === undefined) return undefined;
  const link = `${publicUrl}/accept-invite?token=${await mintInvitationToken(tx, 'invitation', invite)}`;
  const letter = letters[invite.language].invitationLetter({
    workspaceName: plainName(invite.workspaceName),
    inviterName: invite.inviterName === null ? null : plainName(invite.inviterName),
    inviterEmail: oneLine(invite.inviterEmail),
    link,
  });
  return { ...letter, to: invite.email, link };
}

/** Undefined when the reader has left the workspace meanwhile. */
async function writeWebhookDisabled(
  tx: Tx,
  { to, words }: { to: string; words: Letters },
  { workspaceId, userId, origin, cause }: SystemMail & { kind: 'webhook-disabled' },
): Promise<AddressedLetter | undefined> {
  const workspace = await findWorkspaceOf(tx, { workspaceId, userId });
  return workspace && { ...words.webhookDisabledLetter({ workspaceName: oneLine(workspace.name), origin, cause }), to };
}

/** Undefined when the reader or the admin has left the workspace or the team meanwhile. */
async function writeTeamJoined(
  tx: Tx,
  { to, publicUrl, words }: { to: string; publicUrl: string; words: Letters },
  { workspaceId, userId, teamId, memberId }: SystemMail & { kind: 'team-joined' },
): Promise<AddressedLetter | undefined> {
  const workspace = await findWorkspaceOf(tx, { workspaceId, userId });
  const team = await findTeamNameOf(tx, workspaceId, { teamId, userId });
  const member = team && (await findTeamNameOf(tx, workspaceId, { teamId, userId: memberId }));
  if (workspace === undefined || team === undefined || member === undefined) return undefined;
  const facts = { workspaceName: oneLine(workspace.name), teamName: oneLine(team.name), publicUrl };
  return { ...words.teamJoinedLetter({ ...facts, memberName: oneLine(member.memberName) }), to };
}

/** Undefined when the mailbox has another status by now, or the reader has left the workspace. */
async function writeMailboxTrouble(
  tx: Tx,
  { to, publicUrl, words }: { to: string; publicUrl: string; words: Letters },
  { workspaceId, userId, mailboxId, field, status }: SystemMail & { kind: 'mailbox-trouble' },
): Promise<AddressedLetter | undefined> {
  const workspace = await findWorkspaceOf(tx, { workspaceId, userId });
  const trouble = await findTrouble(tx, { workspaceId, mailboxId, field });
  if (workspace === undefined || trouble?.status !== status) return undefined;
  const workspaceName = oneLine(workspace.name);
  const reason = trouble.reason === null ? null : oneLine(trouble.reason);
  const since = trouble.since.replace(/T(\d\d:\d\d).*/, ' $1 UTC');
  return { ...words.mailboxTroubleLetter({ ...trouble, workspaceName, field, reason, since, publicUrl }), to };
}

/** In its own words alone, because these are tried. Undefined when the saved reply has gone meanwhile. */
async function writeReplyTest(
  tx: Tx,
  { workspaceId, autoReplyId, ...tested }: SystemMail & { kind: 'reply-test' },
): Promise<AddressedLetter | undefined> {
  const doer = automation(workspaceId, { kind: 'auto_reply', id: autoReplyId, depth: 1 });
  try {
    const { to, body, bodyHtml } = await renderTest(tx, doer, tested);
    return { to, subject: replySubject(testedSubject), text: body, html: bodyHtml };
  } catch (error) {
    if (error instanceof AppError && error.key === 'saved_reply.not_found') return undefined;
    throw error;
  }
}

async function writeDigest(
  tx: Tx,
  publicUrl: string,
  order: SystemMail & { kind: 'notification-digest' },
): Promise<AddressedLetter | undefined> {
  const digest = await findDigest(tx, order);
  if (digest === undefined) return undefined;
  const token = unsubscribeToken(order.userId, digest.unsubscribeKey);
  const unsubscribeUrl = `${publicUrl}${unsubscribePath}?token=${token}`;
  const letter = letters[digest.language].digestLetter({
    workspaceName: oneLine(digest.workspaceName),
    titles: digest.titles.map(oneLine),
    count: digest.count,
    publicUrl,
    unsubscribeUrl,
  });
  // A fixed id, so that mail programs show repeated sends once.
  const id = `digest.${order.userId}.${order.workspaceId}.${Date.parse(order.mailedAt)}`;
  return { ...letter, to: digest.email, unsubscribeUrl, id };
}

async function sendLetter(
  { systemMail, config, clock }: App,
  { to, subject, text, html, unsubscribeUrl, id = newId() }: AddressedLetter,
): Promise<SendOutcome> {
  const { mailFrom } = config;
  let raw: Buffer;
  try {
    raw = await composeMail({
      from: mailFrom,
      to: [{ name: null, email: to }],
      subject,
      text,
      ...(html !== undefined && { html }),
      messageId: newMessageId(domainOf(mailFrom.email), id),
      date: clock.now(),
      automatic: 'auto-generated',
      ...(unsubscribeUrl !== undefined && { unsubscribeUrl }),
    });
  } catch (error) {
    return { ok: false, permanent: true, code: 'ECOMPOSE', reason: (error as Error).message };
  }
  return systemMail.send({ envelopeFrom: mailFrom.email, recipients: [to], raw });
}

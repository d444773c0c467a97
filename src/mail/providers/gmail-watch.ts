/** Subscribes to a whole Gmail mailbox. Gmail calls the subscription a watch, and publishes to a Pub/Sub topic. */
import type { Watch } from '../provider.ts';
import { ProviderFault } from '../provider-fault.ts';
import { type AskGmail, textOf } from './gmail-request.ts';
import type { WatchTarget } from './registry.ts';

export const watchKey = 'mailbox';

/** A watch lasts a week, and a new watch replaces the old watch. Gmail does not report the end of a watch. */
export async function watchMailbox(ask: AskGmail, { topic }: WatchTarget): Promise<Watch> {
  if (topic === undefined)
    throw new ProviderFault(
      'misconfigured',
      'topic_missing',
      'The Pub/Sub topic to which Gmail tells of new mail is not set: MAIL_B_TOPIC.',
    );
  const begin = () =>
    ask({
      path: '/gmail/v1/users/me/watch',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ topicName: topic, labelIds: ['INBOX', 'SENT'], labelFilterBehavior: 'include' }),
    });
  const answer = await begin()
    .catch(async (fault) => {
      // "Only one user push notification client allowed per developer": the old watch publishes to another topic.
      if (!(fault instanceof ProviderFault && fault.code === 'failedPrecondition')) throw fault;
      await stopWatching(ask);
      return begin();
    })
    .catch((fault) => {
      throw topicFault(fault);
    });
  const expiresAt = new Date(Number(textOf(answer.expiration)));
  if (!(expiresAt.getTime() > 0))
    throw new ProviderFault('unavailable', 'no_expiration', 'Gmail answered without saying how long it watches.');
  return { key: watchKey, subscriptionId: null, expiresAt };
}

export async function stopWatching(ask: AskGmail): Promise<void> {
  await ask({ path: '/gmail/v1/users/me/stop', method: 'POST' });
}

/** Only this request can fail because of the topic: the topic does not exist, or Gmail may not publish to it. */
function topicFault(fault: unknown): unknown {
  const isTopic =
    fault instanceof ProviderFault &&
    ['forbidden', 'refused', 'not-found'].includes(fault.kind) &&
    !['domainPolicy', 'failedPrecondition', 'insufficientPermissions'].includes(fault.code);
  if (!isTopic) return fault;
  return new ProviderFault(
    'misconfigured',
    fault.code,
    `Gmail may not publish to the topic of MAIL_B_TOPIC: it must be in the Google Cloud project of our OAuth client, ` +
      `and gmail-api-push@system.gserviceaccount.com must be a publisher of it (${fault.code}).`,
    { cause: fault },
  );
}

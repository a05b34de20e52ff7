import { describe, expect, it } from 'vitest';
import { checkSettings } from '../fields/settings.ts';
import { composeDeadLetter, isDeadLetter } from './deadLetters.ts';

const subscription = (settings: object) => ({
  id: 1,
  name: 'projects/my-project/subscriptions/my-subscription',
  topic: 'projects/my-project/topics/my-topic',
  settings: checkSettings(settings),
});
const deadLetterPolicy = { deadLetterTopic: 'projects/my-project/topics/dead', maxDeliveryAttempts: 7 };

describe('a dead letter', () => {
  it('is a message whose last attempt failed, where there is a policy', () => {
    expect([6, 7, 8].map((n) => isDeadLetter(subscription({ deadLetterPolicy }), n))).toEqual([
      false,
      true,
      true,
    ]);
    expect(isDeadLetter(subscription({}), 1000)).toBe(false);
  });

  it('names its origin', () => {
    const message = {
      id: 5,
      data: Buffer.from('text'),
      attributes: { color: 'blue' },
      orderingKey: 'key',
      publishMs: Date.UTC(2026, 0, 2),
    };
    expect(composeDeadLetter(message, subscription({ deadLetterPolicy }), 7)).toEqual({
      data: message.data,
      orderingKey: 'key',
      attributes: {
        color: 'blue',
        CloudPubSubDeadLetterSourceDeliveryCount: '7',
        CloudPubSubDeadLetterSourceSubscription: 'my-subscription',
        CloudPubSubDeadLetterSourceSubscriptionProject: 'my-project',
        CloudPubSubDeadLetterSourceTopicPublishTime: '2026-01-02T00:00:00.000Z',
      },
    });
  });
});

import { expect, it } from 'vitest';
import {
  composeSecretId,
  eventsTopicId,
  kebabCase,
  pullSubscriptionId,
  serviceId,
  subscriptionId,
  topicId,
} from './resourceIds.ts';

it.each([
  [undefined, ['alerts', 'alerts-push', 'alerts-pull', 'ingestAlert', 'pager-token']],
  ['prod', ['prod-alerts', 'prod-alerts-push', 'prod-alerts-pull', 'prod-ingest-alert', 'prod-pager-token']],
])('the resources of the installation %s', (installation, ids) => {
  expect([
    topicId('alerts', installation),
    subscriptionId('alerts', installation),
    pullSubscriptionId('alerts', installation),
    serviceId('ingestAlert', installation),
    composeSecretId('PAGER_TOKEN', installation),
  ]).toEqual(ids);
});

it('events have a topic of the installation, whatever its name', () => {
  expect([eventsTopicId(), eventsTopicId('prod')]).toEqual(['inquest-events', 'prod-events']);
  expect(kebabCase('runIteration')).toBe('run-iteration');
});

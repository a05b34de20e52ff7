import { expect, it } from 'vitest';
import { createMemoryPublisher } from './memoryPublisher.ts';

it('keeps messages in order, with data as a subscriber gets it', async () => {
  const publisher = createMemoryPublisher();
  const data = { iteration: 1 };
  expect(await publisher.publish('iterations', data, { sessionId: 's' })).toBe('1');
  expect(await publisher.publish('alerts', Buffer.from('not json'), {})).toBe('2');
  data.iteration = 2;
  expect(publisher.published.map((message) => ({ ...message, data: String(message.data) }))).toEqual([
    { id: '1', topic: 'iterations', data: '{"iteration":1}', attributes: { sessionId: 's' } },
    { id: '2', topic: 'alerts', data: 'not json', attributes: {} },
  ]);
});

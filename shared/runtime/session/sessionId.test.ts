import { expect, it } from 'vitest';
import { iterationMessageSchema } from '../../schema/iterationMessage.ts';
import { sessionIdOf } from './sessionId.ts';

const data = Buffer.from('{"status":"firing"}');

it('is the same for every delivery of a message, and different for others', () => {
  expect(sessionIdOf({ messageId: '42', data })).toBe(
    sessionIdOf({ messageId: '42', data: Buffer.from(data) }),
  );
  expect(sessionIdOf({ messageId: '43', data })).not.toBe(sessionIdOf({ messageId: '42', data }));
  // Message ids repeat when an emulator starts anew.
  expect(sessionIdOf({ messageId: '42', data: Buffer.from('{}') })).not.toBe(
    sessionIdOf({ messageId: '42', data }),
  );
});

it('begins with the id of the message, so that people find one by the other', () => {
  expect(sessionIdOf({ messageId: '1234567890', data })).toMatch(/^1234567890-[0-9a-f]{8}$/);
});

it.each(['42', '../../x', 'a/b', 'é'.repeat(500), ' '])(
  'is a document id and fits an iteration message: %j',
  (messageId) => {
    const sessionId = sessionIdOf({ messageId: `1${messageId}`, data });
    const message = { schemaVersion: 1, sessionId, executionId: '01-a', iteration: 1 };
    expect(iterationMessageSchema.parse(message)).toEqual(message);
  },
);

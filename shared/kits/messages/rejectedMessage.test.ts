import { expect, it } from 'vitest';
import { rejectedMessageType } from '../../lists/documents.ts';

it('reads a rejected message of version 1, which had a document of its own', () => {
  const createdAt = new Date('2026-11-05T10:20:30.123Z');
  const expireAt = new Date('2026-12-05T10:20:30.123Z');
  const stored = {
    schemaVersion: 1,
    function: 'ingestAlert',
    messageId: '42',
    failure: { code: 'ALERT_EMPTY', message: 'the alert is empty' },
    attributes: { chain: 'shop' },
    dataBytes: 2,
    excerpt: '  ',
    createdAt,
    expireAt,
  };
  expect(rejectedMessageType.decode(stored, 'rejectedMessages/ingestAlert.42-abcdef12')).toEqual({
    function: 'ingestAlert',
    hour: '2026-11-05T10',
    code: 'ALERT_EMPTY',
    count: 1,
    samples: [
      {
        messageId: '42',
        reason: 'the alert is empty',
        attributes: { chain: 'shop' },
        dataBytes: 2,
        excerpt: '  ',
        at: createdAt,
      },
    ],
    expireAt,
  });
});

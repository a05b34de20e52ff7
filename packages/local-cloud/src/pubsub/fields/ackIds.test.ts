import { describe, expect, it } from 'vitest';
import { formatAckId, parseAckId } from './ackIds.ts';

describe('ack ids', () => {
  it('name a delivery', () => {
    const id = { subscription: 12, message: 345, attempt: 6 };
    expect(parseAckId(formatAckId(id))).toEqual(id);
  });

  it.each(['', 'a', '1-2', '1-2-3-4', '1--3', ' 1-2-3', '1-2-3333333333'])('"%s" is none', (text) => {
    expect(() => parseAckId(text)).toThrow(`Invalid ack id (ack_id=${text})`);
  });
});

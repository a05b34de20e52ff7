import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findTenFreePorts } from '../../test/support/freePorts.ts';
import { parseFirstPort, takePorts } from './fixedPorts.ts';

describe('the first port', () => {
  it.each(['1024', '8080', '65526'])('accepts %s', (text) => {
    expect(parseFirstPort(text)).toBe(Number(text));
  });

  it.each(['', '0', '80', '1023', '65527', '70000', '123456', '8080x', '-1', '1e4', ' 8080'])(
    'refuses %j',
    (text) => {
      expect(() => parseFirstPort(text)).toThrow(
        /^must be a number from 1024 to 65526: 10 ports from it on are used$/,
      );
    },
  );
});

describe('fixed ports', () => {
  it('are in a row; those that are taken are named with their parts, unless they are unused', async () => {
    const first = await findTenFreePorts();
    for (const offset of [2, 9]) {
      const server = createServer();
      onTestFinished(() => void server.close());
      await once(server.listen(first + offset, '127.0.0.1'), 'listening');
    }
    await expect(takePorts(first)).rejects.toThrow(
      `ports ${first + 2} (pubsub), ${first + 9} (model) are taken: stop the program that listens there, or choose another first port with --port`,
    );
    expect((await takePorts(first, ['pubsub', 'model'])).ports).toEqual({
      api: first,
      firestore: first + 1,
      pubsub: first + 2,
      ingestAlert: first + 3,
      runIteration: first + 4,
      buryIteration: first + 5,
      sweep: first + 6,
      deliver: first + 7,
      ingestChange: first + 8,
      model: first + 9,
    });
  });

  it('are given to one of two starts at once, and to the next one after it has ended', async () => {
    const first = await findTenFreePorts();
    const starts = await Promise.allSettled([takePorts(first), takePorts(first)]);
    const [given] = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const [refused] = starts.flatMap((start) => (start.status === 'rejected' ? [String(start.reason)] : []));
    expect(refused).toBe(
      `Error: another \`inquest\` has ports from ${first} to ${first + 9}: stop the program that listens there, or choose another first port with --port`,
    );
    await expect(takePorts(first + 9)).rejects.toThrow('another `inquest` has ports');
    given?.release();
    (await takePorts(first)).release();
  });
});

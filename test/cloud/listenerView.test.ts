// The view of a listener resumes after an unreadable response only with the option `retries`.

import { describe, expect, it } from 'vitest';
import type { RawClient } from '../../packages/local-cloud/src/localFirestore.fixture.ts';
import { openView } from './listenerView.ts';

const UNREADABLE = new Error('13 INTERNAL: Response message parsing error: index out of range: 22 + 12 > 24');

/** A client whose first call fails with `error`; later ones get a marker. Records tokens. */
function failingClient(error: Error) {
  const tokens: unknown[] = [];
  let calls = 0;
  const listen: RawClient['listen'] = (_database, onMessage, onError) => {
    calls += 1;
    const isFirst = calls === 1;
    setImmediate(() => {
      if (isFirst) {
        onMessage({ targetChange: { resumeToken: Buffer.from('token') } });
        onError(error);
      } else {
        onMessage({ documentChange: { document: { name: 'marker' }, targetIds: [2] } });
      }
    });
    return {
      send: ({ addTarget }) => void (addTarget.targetId === 1 && tokens.push(addTarget.resumeToken)),
      pause: () => {},
      resume: () => {},
      end: () => {},
    };
  };
  const unused = () => {
    throw new Error('only listen is used');
  };
  const client: RawClient = { call: unused, listen, openWrites: unused, close: () => {} };
  return { client, tokens };
}

describe('the view of a listener', () => {
  it('resumes with its token after an unreadable response', async () => {
    const { client, tokens } = failingClient(UNREADABLE);
    await openView(client, 'p', {}, { retries: true }).settled();
    expect(tokens).toEqual([undefined, Buffer.from('token')]);
  });

  it('fails by default', async () => {
    const { client } = failingClient(UNREADABLE);
    await expect(openView(client, 'p', {}).settled()).rejects.toThrow('index out of range');
  });

  it('fails after any other error', async () => {
    const { client } = failingClient(new Error('9 FAILED_PRECONDITION: no'));
    await expect(openView(client, 'p', {}, { retries: true }).settled()).rejects.toThrow('no');
  });
});

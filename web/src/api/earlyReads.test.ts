// Reads that start before the code of a session's page is there.

import { expect, it, onTestFinished, vi } from 'vitest';
import { firstReads } from '../../../shared/api/pages/sessionReads.ts';
import { readEarly, startEarlyReads } from './earlyReads.ts';

function answerWithPath() {
  const fetched = vi.fn(async (path: string) => Response.json(path));
  vi.stubGlobal('fetch', fetched);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return fetched;
}

it.each(['/s/2026-a', '/s/2026-a/ask'])(
  'the reads of the session at %s are sent once, and later ones again',
  async (pathname) => {
    const fetched = answerWithPath();
    void startEarlyReads({ pathname });
    const paths = firstReads('2026-a');
    expect(fetched.mock.calls.map(([sent]) => sent)).toEqual(paths);
    const reads = [readEarly('view', '2026-a'), readEarly('steps', '2026-a'), readEarly('calls', '2026-a')];
    expect(await Promise.all(reads)).toEqual(paths);
    expect(fetched).toHaveBeenCalledTimes(3);
    await readEarly('view', '2026-a');
    expect(fetched).toHaveBeenCalledTimes(4);
  },
);

it.each(['/', '/usage', '/s/2026-a/messages/01-b'])('nothing is read for %s', (pathname) => {
  const fetched = answerWithPath();
  void startEarlyReads({ pathname });
  expect(fetched).not.toHaveBeenCalled();
});

it('a failure of an early read is thrown to its caller', async () => {
  vi.stubGlobal('fetch', async () => Promise.reject(new TypeError('no network')));
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  void startEarlyReads({ pathname: '/s/b' });
  const read = expect(readEarly('view', 'b')).rejects.toMatchObject({ code: 'UNREACHABLE' });
  await vi.runAllTimersAsync();
  await read;
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { openMessages } from './messagesState.ts';

/** Messages in pages of one. */
function open() {
  const asked: string[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path.replace('/v1/sessions/s/executions/e', ''));
    const iteration = Number(/after=(\d+)/.exec(path)?.[1] ?? 0) + 1;
    const messages = [{ messageId: `m-${iteration}`, iteration }];
    return Response.json({ messages, next: iteration < 4 ? `${iteration}` : null });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return { asked, state: openMessages({ sessionId: 's', executionId: 'e' }) };
}

it('two clicks read one page of messages, and the last page is not read again', async () => {
  const { asked, state } = open();
  await Promise.all([state.readNext(), state.readNext()]);
  expect(state.messages.value.map(({ messageId }) => messageId)).toEqual(['m-1']);
  await state.readUntil(4);
  await state.readNext();
  expect(asked).toEqual(['/messages', '/messages?after=1', '/messages?after=2', '/messages?after=3']);
});

it('a link to an iteration reads pages until it is there, and no further', async () => {
  const { asked, state } = open();
  await state.readUntil(2);
  expect(asked).toEqual(['/messages', '/messages?after=1']);
});

import { expect, it, onTestFinished, vi } from 'vitest';
import { openMessages } from './messagesState.ts';

/** Messages in pages of one. */
function open() {
  const asked: string[] = [];
  const failures: Error[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    asked.push(path.replace('/v1/sessions/s/executions/e', ''));
    const failure = failures.shift();
    if (failure !== undefined)
      return Response.json({ code: 'NOT_FOUND', detail: failure.message }, { status: 404 });
    const iteration = Number(/after=(\d+)/.exec(path)?.[1] ?? 0) + 1;
    const messages = [{ messageId: `m-${iteration}`, iteration }];
    return Response.json({ messages, next: iteration < 4 ? `${iteration}` : null });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  return { asked, failures, state: openMessages({ sessionId: 's', executionId: 'e' }) };
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

it('a failure is shown until the page is read again, and a page that was left shows none', async () => {
  const { asked, failures, state } = open();
  failures.push(new Error('refused'));
  await state.readUntil(3);
  expect([state.error.value?.message, asked.length, state.messages.value]).toEqual(['refused', 1, []]);
  await state.readUntil(undefined);
  expect([state.error.value, asked.length]).toEqual([undefined, 2]);
  state.stop();
  failures.push(new Error('refused'));
  await state.readNext();
  expect(state.error.value).toBeUndefined();
});

it('a failure of a later page ends the search for an iteration', async () => {
  const { asked, failures, state } = open();
  await state.readNext();
  failures.push(new Error('refused'));
  await state.readUntil(9);
  expect([state.error.value?.message, asked.length]).toEqual(['refused', 2]);
});

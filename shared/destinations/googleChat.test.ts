// Google Chat against its stand-in at the wire.

import { describe, expect, it, onTestFinished } from 'vitest';
import { type ChatOptions, startGoogleChat } from '../../local/destinations/googleChat.fixture.ts';
import { CHAT_SCOPE, createGoogleChat } from './googleChat.ts';
import { createHttp } from './http.ts';
import { sampleMessage } from './samples.fixture.ts';

const SPACE = 'spaces/AAAA';

async function open(options: Partial<ChatOptions> = {}, token: () => string = () => 'good') {
  const tokens = { good: [CHAT_SCOPE], other: ['https://www.googleapis.com/auth/cloud-platform'] };
  const chat = await startGoogleChat({ spaces: [SPACE], tokens, ...options });
  onTestFinished(() => chat.stop());
  const scopes: string[][] = [];
  const services = {
    http: createHttp(),
    googleToken: (wanted: readonly string[]) => {
      scopes.push([...wanted]);
      return Promise.resolve(token());
    },
  };
  const create = (space = SPACE) => createGoogleChat(services)({ space, apiUrl: chat.url }, 'chat');
  return { chat, scopes, create, destination: await create() };
}

describe('Google Chat', () => {
  it('gets a message once, however often it is sent', async () => {
    const { chat, scopes, destination } = await open();
    chat.failNext({ fault: 'cut', takesEffect: true });
    expect(await destination.send(sampleMessage('opened'))).toMatchObject({ outcome: 'unknown' });
    const sent = await destination.send(sampleMessage('opened'));
    expect(sent).toMatchObject({
      outcome: 'sent',
      ref: expect.stringMatching(/^spaces\/AAAA\/messages\/client-/),
    });
    expect(await destination.send(sampleMessage('opened'))).toEqual(sent);
    expect(chat.messages).toHaveLength(1);
    expect(scopes[0]).toEqual([CHAT_SCOPE]);
  });

  it('edits a message by the name that was chosen for it, and adds details to its thread', async () => {
    const { chat, destination } = await open();
    const sent = await destination.send(sampleMessage('opened'));
    const ref = sent.outcome === 'sent' ? (sent.ref ?? '') : '';
    expect(await destination.update?.(ref, sampleMessage('ended'))).toEqual({ outcome: 'sent', ref });
    await destination.send(sampleMessage('details', {}, { id: 'details', thread: ref }));
    expect(chat.messages.map(({ thread, edits }) => [thread, edits])).toEqual([
      [chat.messages[0]?.thread, 1],
      [chat.messages[0]?.thread, 0],
    ]);
    expect(JSON.stringify(chat.messages[0]?.content)).toContain('Confirmed');
  });

  it('takes a message of the same name as sent, and a deleted one as gone', async () => {
    const { chat, destination } = await open();
    const message = sampleMessage('opened');
    await destination.send(message);
    for (const each of chat.messages) each.requestId = null;
    expect(await destination.send(message)).toMatchObject({ outcome: 'sent' });
    chat.messages.length = 0;
    const gone = await destination.update?.(`${SPACE}/messages/client-x`, message);
    expect(gone).toMatchObject({ outcome: 'gone', failure: { code: 'message_not_found' } });
  });

  it('is sent again after the limit of the space', async () => {
    const { destination } = await open();
    for (let count = 0; count < 60; count++)
      await destination.send(sampleMessage('opened', {}, { id: `m${count}` }));
    expect(await destination.send(sampleMessage('ended'))).toMatchObject({
      outcome: 'retry',
      failure: { code: 'rate_limited' },
    });
  });

  it.each([
    ['other', SPACE, 'missing_scope', CHAT_SCOPE],
    ['wrong', SPACE, 'unauthenticated', 'service account'],
    ['good', 'spaces/BBBB', 'space_not_found', 'add the app there'],
  ])('with the token %s in %s names the problem %s and its fix', async (token, space, code, fix) => {
    const { create } = await open({}, () => token);
    const destination = await create(space);
    const failure = { code, message: expect.stringContaining(fix) };
    expect(await destination.send(sampleMessage('opened'))).toEqual({ outcome: 'refused', failure });
    expect(await destination.check?.()).toEqual([failure]);
  });

  it('is sent later where there is no token', async () => {
    const { chat, destination } = await open({}, () => {
      throw new Error('metadata server did not answer');
    });
    expect(await destination.send(sampleMessage('opened'))).toMatchObject({
      outcome: 'retry',
      failure: { code: 'no_token', message: expect.stringContaining('metadata server') },
    });
    expect(chat.requests).toEqual([]);
  });

  it('has no problems with the right settings', async () => {
    const { destination } = await open();
    expect(await destination.check?.()).toEqual([]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CloudDatabase, openDatabase } from '../../database/database.ts';
import { createTestClock } from '../../testClock.fixture.ts';
import { createDispatcher, type Dispatcher } from '../delivery/dispatcher.ts';
import { checkSettings } from '../fields/settings.ts';
import { openState, type PubsubState } from '../store/state.ts';
import { pullMessages } from './pull.ts';

const name = 'projects/p/subscriptions/sub';

describe('a pull that its client has given up', () => {
  let database: CloudDatabase;
  let state: PubsubState;
  let dispatcher: Dispatcher;

  beforeEach(() => {
    database = openDatabase();
    state = openState(database, createTestClock());
    dispatcher = createDispatcher(state);
    state.subscriptions.create({ name, topic: 'projects/p/topics/top', settings: checkSettings({}) });
  });
  afterEach(() => {
    dispatcher.close();
    database.close();
  });

  const publish = (text: string): void => {
    const message = { data: Buffer.from(text), attributes: {}, orderingKey: '' };
    const { id } = state.subscriptions.named(name);
    state.queue.add(message, { subscriptions: state.subscriptions.all(), snapshots: [] }, state.nowMs());
    dispatcher.deliverNow(id);
  };
  const request = { subscription: name, maxMessages: 1 };

  it('takes no message', async () => {
    const client = new AbortController();
    const given = pullMessages(request, client.signal, state, dispatcher);
    client.abort();
    expect(await given).toEqual({ receivedMessages: [] });
    publish('message');
    const { receivedMessages } = await pullMessages(request, new AbortController().signal, state, dispatcher);
    expect(Buffer.from(receivedMessages[0].message.data).toString()).toBe('message');
  });

  it('before it started takes none either', async () => {
    publish('message');
    expect(await pullMessages(request, AbortSignal.abort(), state, dispatcher)).toEqual({
      receivedMessages: [],
    });
    const { receivedMessages } = await pullMessages(request, new AbortController().signal, state, dispatcher);
    expect(receivedMessages).toHaveLength(1);
  });
});

import { expect, it } from 'vitest';
import type { Delivery } from '../../kits/deliveries/delivery.ts';
import { stormOfSession } from './joinGroup.ts';
import type { Work } from './threadWork.ts';

const NOW = new Date('2026-11-05T10:20:00Z');

/** The count for a session at a destination with `capabilities`, with or without the hour's messages. */
function countOf(firstSentAt: Date | null, capabilities: object, hasMessage: boolean) {
  const deps = { clock: { now: () => NOW } };
  const configured = { destination: { capabilities } };
  const work = { configured, deps } as unknown as Work;
  return stormOfSession({ destination: 'ops', firstSentAt } as Delivery, work, async () => hasMessage);
}

const CHAT = { isRepeatSafe: false, update: true };

it('a session above the messages of its hour is counted', async () => {
  expect(await countOf(null, CHAT, false)).toMatchObject({
    kind: 'storm',
    destination: 'ops',
    isEdited: true,
  });
});

it.each([
  ['the hour has a message for', null, CHAT, true],
  ['was sent before', NOW, CHAT, false],
  ['goes to a program', null, { ...CHAT, isRepeatSafe: true }, false],
  ['has a place of its alert', null, { ...CHAT, isPerAlert: true }, false],
])('a message that %s stays one of its own', async (_, firstSentAt, capabilities, hasMessage) => {
  expect(await countOf(firstSentAt, capabilities, hasMessage)).toBeUndefined();
});

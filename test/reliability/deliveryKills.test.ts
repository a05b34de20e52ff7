// A small copy of the run of docs/reliability.md. A doubt is resolved after minutes of real time.

import { expect, it } from 'vitest';
import { runDeliveryKills } from './deliveryKills.ts';

it('loses and doubles no message with a search, and doubles none automatically without, whatever dies', async () => {
  const { counts, kills } = await runDeliveryKills(10, 3);
  expect(kills).toBe(3);
  expect(counts.probe).toEqual({ messages: 20, lost: 0, doubled: 0, possiblyRepeated: 0, unknown: 0 });
  expect(counts.plain).toMatchObject({ lost: 0, doubled: 0 });
}, 1_800_000);

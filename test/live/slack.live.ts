// `npm run test:live`: a real channel of Slack gets a message once, finds it by its metadata, edits it and
// answers in its thread. `SLACK_API_URL` leads to another server.

import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { sampleMessage } from '../../shared/destinations/samples.fixture.ts';
import { createSlack } from '../../shared/destinations/slack.ts';

const { SLACK_BOT_TOKEN: token = '', SLACK_CHANNEL: channel = '', SLACK_API_URL: apiUrl } = process.env;
const NO_TOKEN =
  'SLACK_BOT_TOKEN and SLACK_CHANNEL are not set: these tests post to a real channel, and nothing was posted';

beforeEach(({ skip }) => skip(token === '' || channel === '', NO_TOKEN));

it('a channel of Slack gets a message, its edit and a reply, and shows its metadata', async () => {
  const slack = await createSlack({ token, channel, apiUrl }, 'live');
  expect(await slack.check?.()).toEqual([]);
  const outgoing = {
    ...sampleMessage('ended'),
    id: `live.${randomUUID()}`,
    thread: null,
    occurredAt: new Date(),
    firstSentAt: new Date(),
  };
  const sent = await slack.send(outgoing);
  expect(sent).toMatchObject({ outcome: 'sent' });
  const ref = 'ref' in sent ? String(sent.ref) : '';
  await expect
    .poll(() => slack.probe?.(outgoing), { timeout: 60_000, interval: 2_000 })
    .toEqual({ outcome: 'found', ref });
  expect(await slack.update?.(ref, { ...sampleMessage('failed'), id: outgoing.id })).toMatchObject({
    outcome: 'sent',
  });
  const reply = { ...sampleMessage('opened'), id: `${outgoing.id}.reply`, thread: ref };
  expect(await slack.send(reply)).toMatchObject({ outcome: 'sent' });
});

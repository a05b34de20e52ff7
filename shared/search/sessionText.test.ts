import { describe, expect, it } from 'vitest';
import { MAX_FINDING_TRIGRAMS, MAX_OPENING_TRIGRAMS } from './searchPart.ts';
import { type SearchedSession, sessionText, sessionTrigrams } from './sessionText.ts';
import { listTrigrams } from './trigrams.ts';

const session: SearchedSession = {
  title: 'Ledger of today',
  alert: { title: 'etcd is down', summary: 'No leader.', labels: { team: 'storage' } },
  body: 'members lost quorum',
  executiveSummary: 'Renew it.',
  finalAnalysis: 'The certificate has expired.',
};

/** A text of many different words. */
const varied = (letters: string, count: number) =>
  Array.from({ length: count }, (_, n) => `${letters}${n.toString(36)}`).join(' ');

describe('the text by which a session is found', () => {
  it('has title, alert and findings', () => {
    expect(sessionText(session).split('\n')).toEqual([
      'Ledger of today',
      'etcd is down',
      'team storage',
      'No leader.',
      'members lost quorum',
      'Renew it.',
      'The certificate has expired.',
    ]);
  });

  it('is the question of a chat', () => {
    const chat = { ...session, alert: null, body: '', executiveSummary: null, finalAnalysis: null };
    expect(sessionText(chat).trim()).toBe('Ledger of today');
  });

  it('has the first 8,000 characters of the body, and of the analysis', () => {
    const text = sessionText({ ...session, body: 'b'.repeat(8_001), finalAnalysis: 'f'.repeat(8_001) });
    expect(text).toContain(`\n${'b'.repeat(8_000)}\n`);
    expect(text.endsWith(`\n${'f'.repeat(8_000)}`)).toBe(true);
  });
});

describe('the trigrams of a session', () => {
  it('are those of its text, each once', () => {
    expect(new Set(sessionTrigrams(session))).toEqual(new Set(listTrigrams(sessionText(session))));
    expect(new Set(sessionTrigrams(session)).size).toBe(sessionTrigrams(session).length);
  });

  it('are as many as its document can hold, of the opening and of the findings', () => {
    const opening = { ...session, body: varied('b', 3_000), executiveSummary: null, finalAnalysis: null };
    const before = sessionTrigrams(opening);
    expect(before).toHaveLength(MAX_OPENING_TRIGRAMS);
    const after = sessionTrigrams({ ...opening, finalAnalysis: varied('f', 3_000) });
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.length).toBeGreaterThan(before.length);
    expect(after.length).toBeLessThanOrEqual(MAX_OPENING_TRIGRAMS + MAX_FINDING_TRIGRAMS);
  });
});

import { expect, it } from 'vitest';
import type { Claims } from '../../../../shared/lists/apiTypes.ts';
import { compareClaims } from './claims.ts';

const claims = (mechanism: string, quotes: [string, string][]): Claims =>
  ({
    hypotheses: [{ id: 'A', text: null, component: 'service:checkout', mechanism, cause: true }],
    evidence: quotes.map(([quote, state], index) => ({
      id: `e${index}`,
      hypothesis: 'A',
      side: 'for',
      quote,
      state,
      pointer: null,
      value: null,
    })),
  }) as unknown as Claims;

it('causes stand before evidence, each with its state in both sessions', () => {
  const one = claims('memory', [
    ['OOMKilled', 'held'],
    ['512Mi', 'differs'],
  ]);
  const other = claims('release', [['OOMKilled', 'absent']]);
  expect(compareClaims(one, other)).toEqual([
    { text: 'memory of checkout', isEvidence: false, states: ['cause', null] },
    { text: 'release of checkout', isEvidence: false, states: [null, 'cause'] },
    { text: 'for: OOMKilled', isEvidence: true, states: ['held', 'absent'] },
    { text: 'for: 512Mi', isEvidence: true, states: ['differs', null] },
  ]);
  const rival = { id: 'B', text: null, component: null, mechanism: null, cause: false };
  const pointed = { side: 'against', quote: null, pointer: '/a', value: '5', state: 'held' };
  const others = {
    hypotheses: [rival, { ...rival, text: 'It is the network.' }],
    evidence: [pointed, { ...pointed, pointer: null, value: null }],
  } as unknown as Claims;
  expect(compareClaims(others, others).map(({ text, states }) => `${text} ${states[0]}`)).toEqual([
    'B hypothesis',
    'It is the network. hypothesis',
    'against: /a = 5 held',
    'against:  =  held',
  ]);
});

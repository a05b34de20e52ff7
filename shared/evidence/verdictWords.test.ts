import { describe, expect, it } from 'vitest';
import { sampleVerdict } from '../../test/support/samples.ts';
import { readVerdict } from './verdictWords.ts';

describe('a verdict in words', () => {
  it.each([
    [[], 'Not established. The agent named no cause with evidence, so there was nothing to check.'],
    [
      [{ component: 'k8s:shop/api', mechanism: 'memory' }],
      'Not established. No result speaks of the component that the agent named as the cause.',
    ],
  ])('without a cause that was seen, %j, states which part was missing', (causes, sentence) => {
    const verdict = sampleVerdict('inconclusive', { rule: 'no_cause', causes });
    expect(readVerdict(verdict).sentence).toBe(sentence);
  });

  it('names unseen facts as statements, not as questions', () => {
    const open = [
      { code: 'upstream', subject: 'dependency_down' },
      { code: 'server', subject: 'prometheus' },
      { code: 'contrast', subject: 'kubernetes.pods_get of api-2' },
    ];
    expect(readVerdict(sampleVerdict('likely', { open })).questions).toEqual([
      'Why it came about. The results also show dependency down.',
      'The server prometheus: it was missing at the end.',
      'The comparison kubernetes.pods_get of api-2: the call did not answer.',
    ]);
  });
});

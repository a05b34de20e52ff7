// Chains that no alert reaches, because a chain before them takes their alerts.

import { expect, it } from 'vitest';
import { temporaryFolder, writeFiles } from '../../test/support/ownConfig.ts';
import type { AlertRule } from './alertRules.ts';
import { coveredChainFaults } from './unreachedChains.ts';

it.each<[string, object, object, boolean]>([
  ['all alerts', {}, { source: ['k8s'] }, true],
  ['the same source', { source: ['k8s'] }, { source: ['k8s'] }, true],
  ['another source', { source: ['k8s'] }, { source: ['aws'] }, false],
  ['one of its sources', { source: ['k8s'] }, { source: ['k8s', 'aws'] }, false],
  ['any source', { source: ['k8s'] }, {}, false],
  ['a severity in other case', { severity: ['Critical'] }, { severity: ['critical'] }, true],
  ['a part of its text', { text: ['disk'] }, { text: ['Disk full'] }, true],
  ['more than its text', { text: ['disk full'] }, { text: ['disk'] }, false],
  ['a pattern of its label', { labels: { team: ['shop*'] } }, { labels: { team: ['shop-cart'] } }, true],
  ['another value of its label', { labels: { team: ['shop'] } }, { labels: { team: ['cart'] } }, false],
  ['a label that it does not name', { labels: { team: ['shop'] } }, { labels: { env: ['prod'] } }, false],
  ['a label, and it has none', { labels: { team: ['shop'] } }, { source: ['k8s'] }, false],
])('a chain before it that takes %s', (_, earlier, rule, isCovered) => {
  const folder = temporaryFolder();
  writeFiles({ 'chains.yaml': 'chains:\n  first: {}\n  second: {}\n' }, folder);
  const alertRules = { first: [earlier as AlertRule], second: [rule as AlertRule] };
  const faults = coveredChainFaults(folder, { alertRules, chains: {}, defaultChain: 'other' });
  expect(faults.map(({ path }) => path)).toEqual(isCovered ? ['chains.second'] : []);
});

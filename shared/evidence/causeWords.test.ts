import { expect, it } from 'vitest';
import { causeWords } from './causeWords.ts';

it.each([
  ['k8s:shop-prod/shop/Deployment/checkout', 'release', 'release of checkout (shop, shop-prod)'],
  ['k8s:shop-prod/-/Node/pool-1', 'memory', 'memory of Node pool-1 (shop-prod)'],
  [
    'gcp:run:shop-prod/europe-west1/checkout',
    'other',
    'another fault of checkout (run, europe-west1, shop-prod)',
  ],
  ['git:shop/checkout', 'release', 'release of shop/checkout'],
  ['flag:new-cart', null, 'flag new-cart'],
  ['service:checkout', 'dependency_down', 'dependency down of checkout'],
  ['the checkout', null, 'the checkout'],
  [null, 'memory', 'memory'],
  [null, null, ''],
])('a cause of %s and %s is read as %j', (component, mechanism, words) => {
  expect(causeWords({ component, mechanism })).toBe(words);
});

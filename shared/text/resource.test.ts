// Canonical names of resources: one spelling for each, whatever labels hold.

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isSameResource, parseResource, RESOURCE_PARTS, type Resource, resourceName } from './resource.ts';

it.each([
  [
    { system: 'k8s', product: null, parts: ['prod', 'shop', 'Deployment', 'checkout'] },
    'k8s:prod/shop/Deployment/checkout',
  ],
  [{ system: 'k8s', product: null, parts: [null, '', 'Node', 'n1'] }, 'k8s:-/-/Node/n1'],
  [{ system: 'gcp', product: 'run', parts: ['p', 'europe-west1', 'cart'] }, 'gcp:run:p/europe-west1/cart'],
  [{ system: 'git', product: null, parts: ['Acme', 'Shop'] }, 'git:acme/shop'],
  [{ system: 'host', product: null, parts: ['db-1:9100'] }, 'host:db-1:9100'],
  [{ system: 'service', product: null, parts: ['a/b c'] }, 'service:a%2Fb%20c'],
  [{ system: 'service', product: null, parts: ['-'] }, 'service:%2D'],
] satisfies [Resource, string][])('names %o', (resource, name) => {
  expect(resourceName(resource)).toBe(name);
  expect(resourceName(parseResource(name) as Resource)).toBe(name);
});

it.each([
  '',
  'k8s',
  'k8s:a/b/c',
  'k8s:a/b/c/d/e',
  'gcp:a/b/c',
  'gcp:Run:a/b/c',
  'git:Acme/shop',
  'other:x',
  'service:a b',
  'service:%',
  'service:%2d',
  'service:%41',
  'service:',
  'service:a\u202eb',
])('does not read %j as a name', (text) => {
  expect(parseResource(text)).toBeUndefined();
});

it.each([
  ['gcp:run:p/eu/cart', 'gcp:run:p/eu/cart', true],
  ['gcp:run:p/eu/cart', 'gcp:run:-/-/cart', true],
  ['gcp:run:p/eu/cart', 'gcp:sql:p/eu/cart', false],
  ['gcp:run:p/eu/cart', 'gcp:run:p/us/cart', false],
  ['gcp:run:p/eu/cart', 'gcp:run:p/eu/shop', false],
  ['host:db-1', 'service:db-1', false],
])('%s and %s can mean one resource: %s', (one, other, isSame) => {
  expect(isSameResource(parseResource(one) as Resource, parseResource(other))).toBe(isSame);
});

it('gives each part that a label can hold a name of its own', () => {
  const part = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 });
  fc.assert(
    fc.property(fc.constantFrom('host', 'service', 'flag'), part, (system, text) => {
      const name = resourceName({ system, product: null, parts: [text] });
      const read = parseResource(name);
      expect(read).toBeDefined();
      expect(name).toMatch(/^[!-~]+$/);
      expect(read?.parts).toHaveLength(RESOURCE_PARTS[system].length);
    }),
  );
});

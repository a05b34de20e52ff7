import { expect, it } from 'vitest';
import { declaredDependencies } from './dependencies.ts';

const service = (dependencies: string[], workloads: string[] = []) => ({
  ...{ workloads, repository: null, flags: [], dashboards: [] },
  dependencies,
});
const services = {
  shop: service(['cart', 'host:db-7'], ['k8s:-/shop/Deployment/shop']),
  cart: service(['stock', 'shop'], ['k8s:-/shop/Deployment/cart']),
  stock: service(['depot']),
  depot: service(['road']),
};

it('the dependencies of a service are those of three steps, each once', () => {
  const cart = ['service:cart', 'k8s:-/shop/Deployment/cart'];
  const shop = ['service:shop', 'k8s:-/shop/Deployment/shop'];
  expect(declaredDependencies('shop', services)).toEqual([
    ...shop.map((of) => ({ of, on: [...cart, 'host:db-7'] })),
    ...cart.map((of) => ({ of, on: ['service:stock', ...shop] })),
    { of: 'service:stock', on: ['service:depot'] },
  ]);
});

it.each([null, 'nosuch', 'road'])('%j has none', (name) => {
  expect(declaredDependencies(name, services)).toEqual([]);
});

it('they have at most 200 names', () => {
  const many = (count: number) => ({ shop: service(Array.from({ length: count }, (_, n) => `host:${n}`)) });
  expect(declaredDependencies('shop', many(199))[0]?.on).toHaveLength(199);
  expect(declaredDependencies('shop', many(200))).toEqual([]);
});

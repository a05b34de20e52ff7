import { describe, expect, it } from 'vitest';
import { composeGroupKey, readRoute } from './routingTree.ts';

const root = readRoute({
  receiver: 'other',
  group_by: ['alertname', 'namespace'],
  routes: [
    { match: { team: 'db' }, receiver: 'inquest', group_by: ['alertname'], continue: true },
    {
      match_re: { service: 'a|b' },
      receiver: 'inquest',
      routes: [{ matchers: ['severity="page"', 'x!~"q.*"'] }],
    },
    { object_matchers: [['env', '=', 'prod']], receiver: 'inquest', group_by: ['...'] },
  ],
});
const keyOf = (labels: Record<string, string>, groupLabels: Record<string, string>) =>
  composeGroupKey(root, { labels, groupLabels, receiver: 'inquest' });

describe('the key of a group', () => {
  it('has the matchers of all routes that lead to it, sorted, and the labels of the group', () => {
    expect(keyOf({ alertname: 'A', team: 'db' }, { alertname: 'A' })).toBe('{}/{team="db"}:{alertname="A"}');
    const labels = { alertname: 'A', namespace: 'n', service: 'b', severity: 'page' };
    expect(keyOf(labels, { namespace: 'n', alertname: 'A' })).toBe(
      '{}/{service=~"^(?:a|b)$"}/{severity="page",x!~"q.*"}:{alertname="A", namespace="n"}',
    );
    expect(keyOf({ alertname: 'A', env: 'prod' }, { alertname: 'A', env: 'prod' })).toBe(
      '{}/{env="prod"}:{alertname="A", env="prod"}',
    );
  });

  it('is looked for in later siblings only of a route that continues', () => {
    const all = (labels: Record<string, string>) => keyOf(labels, labels);
    const prod = '{}/{env="prod"}:{alertname="A", env="prod", team="db"}';
    expect(all({ alertname: 'A', env: 'prod', team: 'db' })).toBe(prod);
    expect(all({ alertname: 'A', env: 'prod', service: 'a' })).toBeUndefined();
  });

  it('reads every notation and operator of matchers; routes inherit receiver and grouping', () => {
    const tree = (route: object) =>
      readRoute({ receiver: 'inquest', group_by: ['a'], routes: [route, { receiver: 'other' }] });
    const found = (route: object, labels: Record<string, string>) =>
      composeGroupKey(tree(route), { labels, groupLabels: { a: '1' }, receiver: 'inquest' });
    const cases: [object, Record<string, string>, string | undefined][] = [
      [{ matchers: ['{b!="x", c="say \\"hi\\""}'] }, { c: 'say "hi"' }, '{b!="x",c="say \\"hi\\""}'],
      [{ matchers: ['b!="x"'] }, { b: 'x' }, undefined],
      [{ matchers: ['b=~y|z', 'b!~"q.*"'] }, { b: 'y' }, '{b!~"q.*",b=~"y|z"}'],
      [{ matchers: ['b!~"q.*"'] }, { b: 'qq' }, undefined],
      [{ matchers: ['b=~"y"'] }, { b: 'yy' }, undefined],
      [{ matchers: [' b = plain '] }, { b: 'plain' }, '{b="plain"}'],
      [{ match_re: { b: 'y|z' } }, { b: 'yx' }, undefined],
    ];
    for (const [route, labels, key] of cases)
      expect(found(route, { a: '1', ...labels }), JSON.stringify(route)).toBe(key && `{}/${key}:{a="1"}`);
  });

  it('is unknown where no route sends the alert to the receiver in this group', () => {
    expect(keyOf({ alertname: 'A' }, { alertname: 'A' })).toBeUndefined();
    expect(keyOf({ alertname: 'A', service: 'ab' }, { alertname: 'A' })).toBeUndefined();
    expect(keyOf({ alertname: 'A', team: 'db' }, {})).toBeUndefined();
  });
});

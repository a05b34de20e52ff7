import { describe, expect, it } from 'vitest';
import { groupKeyOf, readRoute } from './routingTree.ts';

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
  groupKeyOf(root, { labels, groupLabels, receiver: 'inquest' });

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

  it('is unknown where no route sends the alert to the receiver in this group', () => {
    expect(keyOf({ alertname: 'A' }, { alertname: 'A' })).toBeUndefined();
    expect(keyOf({ alertname: 'A', service: 'ab' }, { alertname: 'A' })).toBeUndefined();
    expect(keyOf({ alertname: 'A', team: 'db' }, {})).toBeUndefined();
  });
});

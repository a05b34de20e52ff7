import { describe, expect, it } from 'vitest';
import type { RelatedAlert } from './schema/correlation.ts';
import { correlationKeys, currentId, MAX_RELATED, neighbourIds, relatedTo } from './sharedLabels.ts';

const windowMs = 900_000;
const rules = [{ labels: ['cluster', 'service'], windowMs }];
const keyOf = (labels: Record<string, string>, tenantId = 'default') =>
  correlationKeys(rules, { tenantId, labels })[0]?.id;
const start = new Date('2026-11-22T10:00:00Z');
const later = (minutes: number) => new Date(start.getTime() + minutes * 60_000);
const alert = (sessionId: string, minutes = 0, title = `Alert ${sessionId}`): RelatedAlert => ({
  sessionId,
  title,
  severity: null,
  startedAt: null,
  at: later(minutes),
});

describe('alerts share a key', () => {
  const shop = { cluster: 'eu', service: 'shop', pod: 'a' };
  it('when all labels of a rule have the same values, whatever else they have', () => {
    expect(keyOf(shop)).toBe(keyOf({ service: 'shop', cluster: 'eu' }));
    expect(keyOf(shop)).not.toBe(keyOf({ ...shop, service: 'eu', cluster: 'shop' }));
  });

  it('but never with one of another tenant, and none without all of the labels', () => {
    expect(keyOf(shop)).not.toBe(keyOf(shop, 'acme'));
    expect([keyOf({ cluster: 'eu' }), keyOf({ cluster: 'eu', service: '' }), keyOf({})]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(correlationKeys([{ labels: ['constructor'], windowMs }], { tenantId: 't', labels: {} })).toEqual(
      [],
    );
  });
});

describe('the alerts beside one', () => {
  const key = { id: 'k', windowMs };
  const beside = (...found: RelatedAlert[]) =>
    relatedTo({ sessionId: 'own', title: 'Own' }, { keys: [key], at: start }, [found]).map(
      (one) => one.sessionId,
    );

  it('are noted where each of them looks, as long as the window reaches', () => {
    for (let minutes = -15; minutes <= 15; minutes++)
      expect(neighbourIds(key, start)).toContain(currentId(key, later(minutes)));
  });

  it('are those within the window, the nearest first, each once, without itself', () => {
    expect(
      beside(
        alert('far', 16),
        alert('b', -10),
        alert('a', 5),
        alert('b', -10),
        alert('own', 0, 'Own'),
        alert('own', 15, 'Joined'),
        alert('c', 15, 'Own'),
      ),
    ).toEqual(['a', 'b', 'own', 'c']);
  });

  it('are known by their nearest report, before or after', () => {
    const keys = { keys: [key], at: start };
    const [nearest] = relatedTo({ sessionId: 'own', title: 'Own' }, keys, [[alert('b', 12), alert('b', -9)]]);
    expect(nearest?.at).toEqual(later(-9));
  });

  it('are ten at most', () => {
    const many = Array.from({ length: 50 }, (_, index) => alert(`s${index}`, index / 10));
    expect(beside(...many)).toEqual(Array.from({ length: MAX_RELATED }, (_, index) => `s${index}`));
  });
});

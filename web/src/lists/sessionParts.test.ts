// Which parts the page of a session shows, and what they write before its title.

import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import type { SessionView } from '../../../shared/lists/apiTypes.ts';
import { me } from '../frame/currentUser.ts';
import { createModel } from '../session/state/sessionModel.ts';
import type { SessionState } from '../session/state/sessionState.ts';

let PARTS: typeof import('./sessionParts.ts').PARTS;
beforeAll(async () => {
  // Components read the page that they are loaded into.
  vi.stubGlobal('document', { querySelector: () => null });
  ({ PARTS } = await import('./sessionParts.ts'));
  vi.unstubAllGlobals();
});

const viewOf = (changes: object = {}) =>
  ({
    ...{ status: 'in_progress', kind: 'investigation', approvals: [], stages: [], caveats: [] },
    ...{ steering: { paused: null }, verdict: null, check: null, ...changes },
  }) as unknown as SessionView;
const pending = { approvalId: 'p', status: 'pending' };
const decided = { approvalId: 'd', status: 'approved' };

function placesOf(view: SessionView, answered: [string, string][] = []): string {
  const session = createModel('s');
  session.answered.value = new Map(answered);
  const shown = PARTS.filter(
    ({ isShown }) => isShown === undefined || isShown(view, session as SessionState),
  );
  return shown.map(({ place }) => place).join(' ');
}

it.each([
  ['a session', viewOf(), 'facts owner review guidance side questions'],
  ['an approval', viewOf({ approvals: [pending] }), 'facts owner above review guidance side questions'],
  ['a decision', viewOf({ approvals: [decided] }), 'facts owner review guidance side questions'],
  ['a check', viewOf({ check: {} }), 'facts owner above review guidance side questions'],
  ['a verdict', viewOf({ verdict: {} }), 'facts owner verdict review guidance side questions'],
  ['an ended session', viewOf({ status: 'failed' }), 'facts owner review side questions'],
  ['a chat', viewOf({ kind: 'chat' }), 'facts owner review side questions'],
])('the page has the parts of %s', (_, view, places) => {
  expect(placesOf(view)).toBe(places);
});

it('a card stays after its approval was decided here', () => {
  expect(placesOf(viewOf({ approvals: [decided] }), [['d', '']])).toContain('above');
});

it('viewers give no guidance, and questions can be off', () => {
  onTestFinished(() => {
    me.value = undefined;
  });
  me.value = { role: 'viewer', off: ['chat'] } as unknown as NonNullable<typeof me.value>;
  expect(placesOf(viewOf())).toBe('facts owner review side');
});

it.each([
  [viewOf(), ''],
  [viewOf({ approvals: [pending, decided, pending] }), '(2) '],
  [viewOf({ verdict: { value: 'confirmed' } }), 'Confirmed: '],
  [viewOf({ verdict: { value: null } }), ''],
  [viewOf({ status: 'completed', caveats: [{ executionId: 'a', code: 'MAX_ITERATIONS' }] }), 'Limited: '],
])('the title begins with what matters most: %#', (view, title) => {
  expect(PARTS.map((part) => part.title?.(view) ?? '').join('')).toBe(title);
});

// Functions that write sessions, approvals, outcomes or the stages of questions commit by `announce`.

import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SHARED = new URL('../../', import.meta.url).pathname;

/** The write of a document whose change is announced, or a function that returns one. */
const WRITE =
  /\b\w+Document\(\s*[\w.]+(\([^()]*\))?,\s*(session|stage|approval|outcome)Type\b|\b(replaceSession|withNotice|startStage|startQuestion|planSession|closeApprovals|askPerson)\(/;
/** A commit that announces nothing. */
const SILENT_COMMIT = /\bstore\.commit\(/;
/** Files whose other commits contain none of these documents. */
const OTHER_COMMITS = {
  'features/budgets/startWaiting.ts': 'deletes the entry of a session that no longer waits',
};

/** Whether a file commits such a write without an announcement. */
const isSilent = (source: string): boolean => WRITE.test(source) && SILENT_COMMIT.test(source);

it('a function that writes a session, an approval, an outcome or a question announces its change', () => {
  const sources = globSync('{features,kits,api}/**/*.ts', { cwd: SHARED }).filter(
    (path) => !path.endsWith('.test.ts'),
  );
  expect(sources.length).toBeGreaterThan(300);
  const silent = sources.filter((path) => isSilent(readFileSync(`${SHARED}${path}`, 'utf8')));
  expect(silent.filter((path) => !(path in OTHER_COMMITS))).toEqual([]);
});

it.each([
  ['await store.commit([replaceDocument(outcome.path, outcomeType, changed, outcome.version)])', true],
  ['await deps.store.commit([\n  createDocument(paths.approval(id), approvalType, approval),\n])', true],
  ['const writes = [replaceSession(stored, session)];\nawait deps.store.commit(writes);', true],
  ['await announce({}, { session }, [replaceSession(stored, session)], deps);', false],
  ['await store.commit([replaceDocument(path, controlType, control, version)])', false],
])('finds a commit without an announcement: %j', (source, expected) => {
  expect(isSilent(source)).toBe(expected);
});

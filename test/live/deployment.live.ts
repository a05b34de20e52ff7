// `npm run test:live` with a project of Google Cloud: deploys there, sends a test alert, checks the
// installation, waits for the incident of a silent sweep, restores a backup, and deletes everything. It takes
// about an hour and costs some dollars. Answers of the control plane are compared with the pinned discovery
// documents, and recorded in .inquest/live/.

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FIRESTORE } from '../../cli/google/addresses.ts';
import { openGoogleApi } from '../../cli/google/googleApi.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { callCommand } from '../support/callCommand.ts';
import { checkShape, methodOf } from '../worlds/google/discovery.ts';

const {
  INQUEST_LIVE_PROJECT: project = '',
  INQUEST_LIVE_REGION: region = 'europe-west1',
  INQUEST_LIVE_KEEP: keep,
} = process.env;
const NO_PROJECT =
  'INQUEST_LIVE_PROJECT is not set: these tests deploy to a real project of Google Cloud, with Application Default Credentials and terraform or tofu, and nothing was deployed';
const NAME = 'inquest-live';
const CONFIG = projectFile('deploy/trial');
const PLACE = ['--project', project, '--region', region, '--name', NAME, '--config', CONFIG];
const RECORDED = projectFile('.inquest/live');
const HOST = /^https:\/\/[a-z]+\.googleapis\.com\//;
const SCHEDULE = `https://cloudscheduler.googleapis.com/v1/projects/${project}/locations/${region}/jobs/${NAME}-sweep`;
const ALERTS = `https://monitoring.googleapis.com/v3/projects/${project}/alerts`;
const POLL_MS = 20_000;
const HOUR_MS = 3_600_000;

vi.setConfig({ testTimeout: 2 * HOUR_MS, hookTimeout: HOUR_MS });

/** Answers that the pinned discovery documents do not describe. */
const unknown: string[] = [];

/** Records the control plane's JSON. Never headers, which have tokens, nor contents of objects. */
function recordAnswers(): void {
  const real = globalThis.fetch;
  let count = 0;
  mkdirSync(RECORDED, { recursive: true });
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const response = await real(input, init);
    const url = new URL(String(input instanceof Request ? input.url : input));
    if (!HOST.test(url.href) || url.searchParams.has('alt')) return response;
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    if (body === undefined) return response;
    const method = init?.method ?? 'GET';
    const record = { method, url: url.href, status: response.status, body };
    writeFileSync(
      `${RECORDED}/${String(count++).padStart(4, '0')}.json`,
      `${JSON.stringify(record, null, 2)}\n`,
    );
    if (response.ok)
      try {
        checkShape(methodOf(method, url), 'response', body as Record<string, unknown>);
      } catch (error) {
        unknown.push(`${method} ${url.pathname}: ${error}`);
      }
    return response;
  });
}

const google = openGoogleApi(project, new AbortController().signal);
const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await callCommand(args);
  return { code, output: [...stdout, ...stderr].join('\n') };
};

/** Asks until there is an answer. @throws Error after an hour. */
async function until<T>(what: string, find: () => Promise<T | undefined>): Promise<T> {
  for (const end = performance.now() + HOUR_MS; performance.now() < end; await sleep(POLL_MS)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`${what} did not happen within an hour`);
}

describe('a deployment to Google Cloud', () => {
  let isStarted = false;
  beforeAll(async () => {
    if (project === '') return;
    const cli = [projectFile('cli/inquest.js'), 'build', '--config', CONFIG];
    await promisify(execFile)(process.execPath, cli, { cwd: projectFile('.') });
    recordAnswers();
  });
  afterAll(async () => {
    vi.restoreAllMocks();
    if (!isStarted || keep) return;
    // Production is protected until its tier is lowered.
    await run('deploy', ...PLACE, '--dist', projectFile('dist'), '--tier', 'trial', '--yes');
    const { code, output } = await run('deploy', ...PLACE, '--destroy', '--yes');
    if (code !== 0) throw new Error(`${NAME} in ${project} was not deleted:\n${output}`);
  });

  it('investigates a test alert', async ({ skip }) => {
    skip(project === '', NO_PROJECT);
    isStarted = true;
    const dist = projectFile('dist');
    const { code, output } = await run(
      ...['deploy', ...PLACE, '--dist', dist, '--tier', 'production', '--yes', '--test'],
    );
    expect(code, output).toBe(0);
    const repeated = await run('deploy', ...PLACE, '--dist', dist, '--plan');
    expect(repeated.output).toContain('plan: no changes');
  });

  it('has no finding of doctor', async ({ skip }) => {
    skip(project === '', NO_PROJECT);
    const { code, output } = await run('doctor', '--deployed', ...PLACE);
    expect(code, output).toBe(0);
    expect(unknown, 'answers that differ from the discovery documents').toEqual([]);
  });

  it('opens an incident when the schedule stops', async ({ skip }) => {
    skip(project === '', NO_PROJECT);
    await google.call({ method: 'POST', url: `${SCHEDULE}:pause`, body: {} });
    try {
      const title = `${NAME}: Sweep silent`;
      await until('the incident of a silent sweep', async () => {
        const alerts = await google.list<{ state?: string; policy?: { displayName?: string } }>(
          ALERTS,
          'alerts',
        );
        return alerts.find(({ state, policy }) => state === 'OPEN' && policy?.displayName === title);
      });
    } finally {
      await google.call({ method: 'POST', url: `${SCHEDULE}:resume`, body: {} });
    }
  });

  it('restores a backup into a new database', async ({ skip }) => {
    skip(project === '', NO_PROJECT);
    const listed = await google.call<{ backups?: { name: string; database: string; state: string }[] }>({
      url: `${FIRESTORE}/projects/${project}/locations/-/backups`,
    });
    const source = `projects/${project}/databases/${NAME}`;
    const backup = listed.backups?.find((one) => one.database === source && one.state === 'READY');
    const noBackup = `${NAME} has no backup yet, the first is made within a day: keep it with INQUEST_LIVE_KEEP=1, and run this again`;
    if (backup === undefined) return skip(noBackup);
    const databaseId = `${NAME}-restored`;
    const url = `${FIRESTORE}/projects/${project}/databases`;
    const operation = await google.call<{ name: string }>({
      method: 'POST',
      url: `${url}:restore`,
      body: { databaseId, backup: backup.name },
    });
    const done = await until('the restore', async () => {
      const now = await google.call<{ done?: boolean; error?: object }>({
        url: `${FIRESTORE}/${operation.name}`,
      });
      return now.done ? now : undefined;
    });
    expect(done.error).toBeUndefined();
    await google.call({ method: 'DELETE', url: `${url}/${databaseId}` });
  });
});

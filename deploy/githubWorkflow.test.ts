// The examples of a workflow and of a tutorial: separate accounts to plan and to apply, no key, a check for
// drift that fails, and options that the command has.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';

interface Job {
  if: string;
  environment?: string;
  steps: { uses?: string; run?: string; with?: Record<string, string> }[];
}
const text = readFileSync(new URL('github-workflow.yml', import.meta.url), 'utf8');
const { jobs } = parse(text) as { jobs: Record<'plan' | 'apply' | 'drift', Job> };
const runsOf = (job: Job) => job.steps.flatMap(({ run }) => (run === undefined ? [] : [run])).join('\n');

describe('deploy/github-workflow.yml', () => {
  it('applies only from the protected environment, with an account of its own and without a key', () => {
    const accounts = Object.entries(jobs).map(([name, { steps }]) => {
      const auth = steps.find(({ uses }) => uses?.startsWith('google-github-actions/auth@'))?.with ?? {};
      expect(Object.keys(auth).sort()).toEqual(['service_account', 'workload_identity_provider']);
      return [name, auth.service_account?.split('@')[0]];
    });
    expect(accounts).toEqual([
      ['plan', 'inquest-plan'],
      ['apply', 'inquest-apply'],
      ['drift', 'inquest-plan'],
    ]);
    expect(jobs.apply).toMatchObject({ if: "github.event_name == 'push'", environment: 'production' });
    expect(runsOf(jobs.apply)).toMatch(/inquest deploy .*--yes$/m);
    for (const job of [jobs.plan, jobs.drift]) expect(runsOf(job)).toMatch(/inquest deploy .*--plan/);
  });

  it.each([
    ['passes without a difference', { create: 0, update: 0, replace: 0, delete: 0 }, 0],
    ['fails with one', { create: 0, update: 1, replace: 0, delete: 0 }, 1],
  ])('its check for drift %s', (_, counts, status) => {
    const [, script = ''] = /node -e '([^']*)'/.exec(runsOf(jobs.drift)) ?? [];
    const input = [{ type: 'waiting' }, { type: 'plan', isApplied: false, ...counts }];
    const lines = input.map((event) => JSON.stringify(event)).join('\n');
    expect(spawnSync(process.execPath, ['-e', script], { input: `${lines}\n` }).status).toBe(status);
  });
});

describe.each(['github-workflow.yml', 'TUTORIAL.md'])('the commands of deploy/%s', (name) => {
  it('use options that `inquest deploy` has', () => {
    const readText = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
    const [, help = ''] =
      /^## deploy$([\s\S]*?)^### /m.exec(readText('../docs/cli/deploy-and-operate.md')) ?? [];
    const commands = readText(name).match(/inquest deploy .*--.*$/gm) ?? [];
    expect(commands.length).toBeGreaterThan(1);
    const used = commands.flatMap((command) => command.match(/--[a-z]+\b/g) ?? []);
    expect([...new Set(used)].filter((option) => !help.includes(`  ${option} `))).toEqual([]);
  });
});

// The code that an iteration needs: current, or of an earlier commit, in one run.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

type Modules = typeof import('../../shared/wiring/openCloud.ts') &
  typeof import('../../shared/core/iteration/runIteration.ts') &
  typeof import('../../shared/lists/iterationFeatures.ts') &
  typeof import('../../shared/core/stage/startStage.ts') &
  typeof import('../../shared/core/kernel/deps.ts') &
  typeof import('../../shared/llm/chooseClient.ts');

/** What the bench calls. */
export type Code = Pick<
  Modules,
  'openCloud' | 'runIteration' | 'FEATURES' | 'startStage' | 'systemClock' | 'createLlmClient'
> &
  typeof import('../../shared/core/kernel/conversation/conversationCache.ts');

const ROOT = join(import.meta.dirname, '../..');

/** The code this process runs. */
export function codeOfHere(): Promise<Code> {
  return importCode(ROOT);
}

/**
 * The code of a commit, unpacked into `folder` below the project, whose packages it uses.
 * @param folder not below node_modules: Node loads no TypeScript from there.
 * @throws Error with git's own words when there is no such commit.
 */
export async function codeOfCommit(commit: string, folder: string): Promise<Code> {
  const run = promisify(execFile);
  await mkdir(folder, { recursive: true });
  const archive = join(folder, 'code.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, commit, 'shared', 'package.json'], {
    cwd: ROOT,
  });
  await run('tar', ['-xf', archive, '-C', folder]);
  return importCode(folder);
}

async function importCode(folder: string): Promise<Code> {
  /** The module at the first of the paths where there is one: earlier commits have some elsewhere. */
  const load = (...paths: string[]) => {
    const files = paths.map((path) => join(folder, 'shared', path));
    return import(pathToFileURL(files.find((file) => existsSync(file)) ?? (files[0] as string)).href);
  };
  const modules = await Promise.all([
    load('wiring/openCloud.ts'),
    load('core/iteration/runIteration.ts'),
    // Earlier code imports its features itself.
    load('lists/iterationFeatures.ts').catch(() => ({ FEATURES: [] })),
    load('core/stage/startStage.ts'),
    load('core/kernel/deps.ts', 'runtime/deps.ts'),
    load('llm/chooseClient.ts', 'llm/chooseClient.ts'),
    // Code from before messages were kept has none, and does not ask for it.
    load('core/kernel/conversation/conversationCache.ts', 'runtime/iteration/conversationCache.ts').catch(
      () => ({ createConversationCache: () => undefined }),
    ),
  ]);
  return Object.assign({}, ...modules);
}

// `npm run move -- FROM TO [FROM TO ...]`: moves files and folders, and rewrites the texts that name them.

import { parseArguments, reportChange, runCommand } from './command.ts';
import { findMentions } from './mentions.ts';
import { planMove, planPaths } from './planMove.ts';
import { openRepository } from './repository.ts';
import { describeChange, writeChange } from './writeChanges.ts';

runCommand(() => {
  const { rows, isDry } = parseArguments('npm run move --', ['FROM', 'TO']);
  const repository = openRepository(process.cwd());
  const moved = planPaths(
    repository,
    rows.map(([from = '', to = '']) => [from, to] as const),
  );
  const change = { moved, ...planMove(repository, moved) };
  const lines = describeChange(repository, change);
  const unmatched = isDry ? [] : writeChange(repository, change);
  const left = isDry ? [] : findMentions(openRepository(process.cwd()), moved);
  reportChange(lines, [...unmatched, ...left], isDry);
});

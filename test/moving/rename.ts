// `npm run rename -- FILE OLD NEW [FILE OLD NEW ...]`: renames symbols, and texts that name them.

import { parseArguments, reportChange, runCommand } from './command.ts';
import { planRename } from './planRename.ts';
import { openRepository } from './repository.ts';
import { describeChange, writeChange } from './writeChanges.ts';

runCommand(() => {
  const { rows, isDry } = parseArguments('npm run rename --', ['FILE[:LINE]', 'OLD', 'NEW']);
  const repository = openRepository(process.cwd());
  const renames = rows.map(([file = '', old = '', to = '']) => ({ file, old, new: to }));
  const { left, ...planned } = planRename(repository, renames);
  const change = { moved: { files: new Map(), folders: new Map() }, ...planned };
  const lines = describeChange(repository, change);
  const unmatched = isDry ? [] : writeChange(repository, change);
  reportChange(lines, [...unmatched, ...left], isDry);
});

// Compares learned edges with the answers about dependencies of Cloud-OpsBench, which are held out from
// learning: `node test/features/topology/measureEdges.ts FOLDER`.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { shortName } from '../../../shared/features/topology/names.ts';
import { readEdges } from '../../../shared/features/topology/readEdges.ts';
import { asObject, parseJson } from '../../../shared/text/json.ts';

const HELD_OUT = 'GetServiceDependencies';
const IS_STATE = /^(?:GetResources|DescribeResource)$/;

/** The edges of an answer: its callers, and a tree of what it calls. */
function readAnswer(text: string): string[] {
  const [head = '', tree = ''] = text.split('[Downstream (Calls)]:\n');
  const [, own = ''] = /\[Service\]: ([\w-]+)/.exec(head) ?? [];
  const callers = /\[Upstream \(Called By\)\]: (.*)/.exec(head)?.[1]?.split(', ') ?? [];
  const above: string[] = [];
  const calls = tree.split('\n').flatMap((line) => {
    const [, space = '', branch, name] = /^([│ ]*)([├└]── )?([\w-]+)/.exec(line) ?? [];
    if (name === undefined) return [];
    const depth = branch === undefined ? 0 : space.length / 4 + 1;
    above[depth] = name;
    return depth === 0 ? [] : [`${above[depth - 1]} ${name}`];
  });
  return [...callers.filter((one) => /^[\w-]+$/.test(one)).map((one) => `${one} ${own}`), ...calls];
}

/** The edges that the other answers of a case show, by the names of workloads. */
function learn(cache: Record<string, unknown>): Set<string> {
  const found = Object.entries(cache).flatMap(([key, value]) => {
    const [, tool = '', args = '{}'] = /^(\w+)(?::(\{[\s\S]*\}))?$/.exec(key) ?? [];
    if (tool === '' || tool === HELD_OUT) return [];
    const declared = IS_STATE.test(tool) ? { yields: 'state', fields: 'kubernetes' } : {};
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return readEdges({ tool: `bench.${tool}`, arguments: asObject(parseJson(args)), text, ...declared });
  });
  return new Set(
    found.flatMap(({ how, from, to }) => (how === 'calls' ? [`${shortName(from)} ${shortName(to)}`] : [])),
  );
}

const [folder = '.'] = process.argv.slice(2);
const answers = new Map<string, Set<string>>();
const counts = new Map<
  string,
  { right: number; all: number; found: Set<string>; wrong: Map<string, number> }
>();
for (const file of globSync('**/tool_cache.json', { cwd: folder })) {
  const [system = '', , id] = file.split(/[\\/]/).slice(-4);
  const cache = asObject(parseJson(readFileSync(join(folder, file), 'utf8')));
  const known = answers.get(system) ?? new Set<string>();
  answers.set(system, known);
  for (const [key, text] of Object.entries(cache))
    if (key.startsWith(HELD_OUT)) for (const edge of readAnswer(String(text))) known.add(edge);
  for (const name of [system, `${system}, ${Number(id) % 2 === 0 ? 'even' : 'odd'}`]) {
    const count = counts.get(name) ?? { right: 0, all: 0, found: new Set(), wrong: new Map() };
    counts.set(name, count);
    for (const edge of learn(cache)) {
      count.all++;
      if (known.has(edge)) {
        count.right++;
        count.found.add(edge);
      } else count.wrong.set(edge, (count.wrong.get(edge) ?? 0) + 1);
    }
  }
}
for (const [name, { right, all, found, wrong }] of counts) {
  const { size } = answers.get(name.split(',')[0] ?? '') ?? new Set();
  console.log(`${name}: ${right} of ${all} edges are right; ${found.size} of ${size} are found`);
  for (const [edge, times] of wrong) console.log(`  wrong ${times} times: ${edge}`);
}

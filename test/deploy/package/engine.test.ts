// The package of the engine, as a program installs it. Only `npm run test:long` installs its dependencies.

import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectFile } from '../../../shared/projectFiles.ts';
import { ENGINE_REACHES } from '../../layers/tables.ts';
import { IS_LONG } from '../../support/fullTests.ts';
import { describeExports } from './exportedApi.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'inquest-engine-package-'));
const installed = join(folder, 'node_modules/inquest');

beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['deploy/pack.ts', '--engine'], { cwd: projectFile('') });
  const tarball = projectFile(stdout.trim());
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  if (IS_LONG) {
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
    return;
  }
  mkdirSync(installed, { recursive: true });
  await run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The files of the hello world, as docs/engine.md shows them. */
function pageFiles(): Record<'hello.ts' | 'hello.yaml', string> {
  const page = readFileSync(projectFile('docs/engine.md'), 'utf8');
  const block = (language: string) => page.split(`\n\`\`\`${language}\n`)[1]?.split('```')[0] as string;
  return { 'hello.ts': block('ts'), 'hello.yaml': block('yaml') };
}

it('the package of the engine depends only on the packages that it imports', () => {
  const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  expect(Object.keys(manifest.dependencies)).toEqual([
    '@google-cloud/firestore',
    '@google-cloud/firestore-api',
    '@google-cloud/pubsub',
    '@google/genai',
    '@grpc/grpc-js',
    '@modelcontextprotocol/client',
    'google-auth-library',
    'pure-rand',
    're2js',
    'yaml',
    'zod',
  ]);
  expect(Object.keys(manifest.exports)).toEqual(['./engine', './engine/testing']);
});

it('the package of the engine has JavaScript and declarations, no sources', () => {
  const names = globSync('**/*.{ts,js}', { cwd: installed });
  expect(names).toEqual(
    expect.arrayContaining(
      ['engine', 'testing/testing'].flatMap((name) => [
        `lib/shared/engine/${name}.js`,
        `types/shared/engine/${name}.d.ts`,
      ]),
    ),
  );
  expect(names.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))).toEqual([]);
  const rooms = names.map((name) => /^types\/shared\/(\w+)/.exec(name)?.[1] ?? 'engine');
  expect(rooms.filter((room) => !ENGINE_REACHES.includes(room))).toEqual([]);
});

it('the exports of the engine have the signatures of engineApi.txt', async () => {
  const declarations = ['engine', 'testing/testing'].map((name) =>
    join(installed, `types/shared/engine/${name}.d.ts`),
  );
  const api = declarations.map(describeExports).join('\n');
  // After a change that is meant: npx vitest run test/deploy/package/engine.test.ts -u
  await expect(api).toMatchFileSnapshot('engineApi.txt');
});

it('the package of the engine holds no data of Inquest', () => {
  const names = globSync('**/*', { cwd: installed, withFileTypes: true });
  const others = names.filter((one) => one.isFile() && !/\.(js|d\.ts|tf)$/.test(one.name));
  expect(others.map(({ name }) => name).sort()).toEqual(['LICENSE', 'README.md', 'package.json']);
});

it('the declarations of the package import no module that it lacks', () => {
  const types = join(installed, 'types');
  const missing = globSync('**/*.d.ts', { cwd: types }).flatMap((name) =>
    [...readFileSync(join(types, name), 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.ts'/g)]
      .map(([, module = '']) => join(types, dirname(name), `${module}.d.ts`))
      .filter((file) => !existsSync(file)),
  );
  expect(missing).toEqual([]);
});

it('the page of the engine has the hello world', () => {
  for (const [file, text] of Object.entries(pageFiles()))
    expect(readFileSync(projectFile(`examples/engine/${file}`), 'utf8')).toContain(text);
});

it.runIf(IS_LONG)('the installed engine runs the hello world of its page, with its types', async () => {
  for (const [file, text] of Object.entries(pageFiles())) writeFileSync(join(folder, file), text);
  const { stdout } = await run(process.execPath, ['hello.ts'], { cwd: folder });
  expect(stdout).toMatch(/40 and 2 are 42\.\n$/);
  writeFileSync(
    join(folder, 'simulation.ts'),
    `import { durable, tool, z } from 'inquest/engine';
import { inProcess, memory, script, simulate } from 'inquest/engine/testing';
const add = tool({ name: 'add', version: '1', input: z.object({ a: z.number(), b: z.number() }), run: () => 0 });
const agents = durable({ store: memory(), queue: inProcess(), model: script('hello.yaml') });
agents.agent({ name: 'calculator', instructions: 'You calculate.', tools: [add] });
const { runs } = await simulate(agents, { seeds: 3, tools: { add: ({ a }: { a: number }) => a } });
console.log(runs.started);
await agents.close();
`,
  );
  expect((await run(process.execPath, ['simulation.ts'], { cwd: folder })).stdout).toBe('3\n');
  const wrong =
    "import { tool, z } from 'inquest/engine';\ntool({ name: 'a', version: '1', input: z.object({ a: z.number() }), run: ({ b }) => b });\n";
  writeFileSync(join(folder, 'wrong.ts'), wrong);
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2024',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    types: ['node'],
    typeRoots: [projectFile('node_modules/@types')],
  };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['hello.ts', 'simulation.ts', 'wrong.ts'] }),
  );
  const { stdout: faults } = await run(projectFile('node_modules/.bin/tsc'), ['-p', folder]).catch(
    (error) => error,
  );
  expect(faults.trim().split('\n')).toEqual([
    expect.stringContaining("wrong.ts(2,77): error TS2339: Property 'b' does not exist"),
  ]);
});

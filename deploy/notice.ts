// The NOTICE of a deployment: the licenses of the packages whose code is in the bundles, which their licenses ask to pass on.

import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import * as z from 'zod';

/** The folder of a package in a path below node_modules; of nested ones the innermost. */
const PACKAGE = /^(.*\bnode_modules\/(?:@[^/]+\/)?[^/]+)\//;
/** Files that hold a license or a notice to pass on. */
const LEGAL_FILE = /^(?:licen[cs]e|notice|copying)(?:[.-].*)?$/i;
const RULE = '-'.repeat(80);

const packageSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string().optional().catch(undefined),
});

interface BundledPackage {
  name: string;
  version: string;
  license: string;
  texts: string[];
}

/**
 * The text of the NOTICE file.
 * @param metafile esbuild's account of the bundles. Only packages with code in an output count.
 * @param root folder that the paths of the metafile are relative to.
 * @param pageLicenses file that Vite wrote for the packages of the dashboard; left out where there is none.
 * @throws Error for a package without a readable package.json.
 */
export async function noticeText(metafile: Metafile, root: string, pageLicenses: string): Promise<string> {
  const packages = await Promise.all(
    packageFolders(metafile).map((folder) => readPackage(join(root, folder))),
  );
  packages.sort((one, other) => `${one.name}@${one.version}`.localeCompare(`${other.name}@${other.version}`));
  const page = existsSync(pageLicenses) ? [await readFile(pageLicenses, 'utf8')] : [];
  return [
    'Inquest is licensed under the Apache License, Version 2.0; see LICENSE.',
    'The bundled functions contain code of the packages below, under their own licenses.',
    ...[...Map.groupBy(packages, sameTexts).values()].map(describe),
    ...page,
  ].join(`\n\n${RULE}\n\n`);
}

function packageFolders({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return [...new Set(files.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []))];
}

async function readPackage(folder: string): Promise<BundledPackage> {
  const json: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const { name, version, license = 'license not stated' } = packageSchema.parse(json);
  const names = (await readdir(folder)).filter((file) => LEGAL_FILE.test(file)).sort();
  const texts = await Promise.all(names.map((file) => readFile(join(folder, file), 'utf8')));
  return { name, version, license, texts: texts.map((text) => text.trim()) };
}

/** Packages with the same texts share an entry: most have the Apache License, word for word. */
function sameTexts({ name, version, texts }: BundledPackage): string {
  return texts.length === 0 ? `${name} ${version}` : texts.join('\n').replaceAll(/\s+/g, ' ');
}

function describe(packages: BundledPackage[]): string {
  const names = packages.map(({ name, version, license }) => `${name} ${version} (${license})`);
  return [[...new Set(names)].join('\n'), ...(packages[0]?.texts ?? [])].join('\n\n');
}

// The NOTICE of a deployment: the licenses of the bundled packages, which require it.

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

/** The module with formats from the rules of gitleaks. */
const TOKEN_FORMATS = 'shared/masking/formats/generatedFormats.ts';
/** The license of gitleaks, which is not a package. */
const GITLEAKS_LICENSE = `gitleaks (MIT), https://github.com/gitleaks/gitleaks
The formats of tokens that masking looks for are derived from its rules.

MIT License

Copyright (c) 2019 Zachary Rice

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`;

/** A package that is deployed. */
export interface BundledPackage {
  /** The name in its package.json. */
  name: string;
  /** The version in its package.json. */
  version: string;
  /** SPDX expression of its package.json, or that it is not stated. */
  license: string;
  /** Its license and notice files, trimmed, sorted by file name; empty if it has none. */
  texts: string[];
}

/**
 * The text of the NOTICE file.
 * @param metafile of the bundles. Only packages with code in an output count.
 * @param root folder that the paths of the metafile are relative to.
 * @param pageLicenses the license file of Vite for the packages of the dashboard; omitted when it does not
 * exist.
 * @throws Error for a package without a readable package.json.
 */
export async function noticeText(metafile: Metafile, root: string, pageLicenses: string): Promise<string> {
  const packages = await bundledPackages(metafile, root);
  const page = existsSync(pageLicenses) ? [await readFile(pageLicenses, 'utf8')] : [];
  return [
    'Inquest is licensed under the Apache License, Version 2.0; see LICENSE.',
    'The bundled functions contain code of the packages below, under their own licenses. Packages in node_modules/ have theirs beside them.',
    ...[...Map.groupBy(packages, sameTexts).values()].map(describePackages),
    ...(bundledFiles(metafile).includes(TOKEN_FORMATS) ? [GITLEAKS_LICENSE] : []),
    ...page,
  ].join(`\n\n${RULE}\n\n`);
}

/**
 * The packages with code in an output, by name and version.
 * @throws Error for a package without a readable package.json.
 */
export async function bundledPackages(metafile: Metafile, root: string): Promise<BundledPackage[]> {
  const folders = packageFolders(bundledFiles(metafile));
  const packages = await Promise.all(folders.map((folder) => readPackage(join(root, folder))));
  return packages.sort((one, other) =>
    `${one.name}@${one.version}`.localeCompare(`${other.name}@${other.version}`),
  );
}

function bundledFiles({ outputs }: Metafile): string[] {
  return Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
}

function packageFolders(files: readonly string[]): string[] {
  return [...new Set(files.flatMap((file) => PACKAGE.exec(file)?.[1] ?? []))];
}

/** The package in a folder. @throws Error without a readable package.json. */
export async function readPackage(folder: string): Promise<BundledPackage> {
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

function describePackages(packages: BundledPackage[]): string {
  const names = packages.map(({ name, version, license }) => `${name} ${version} (${license})`);
  return [[...new Set(names)].join('\n'), ...(packages[0]?.texts ?? [])].join('\n\n');
}

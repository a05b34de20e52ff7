// sbom.cdx.json: the packages of a deployment, in the JSON form of CycloneDX 1.6
// (https://cyclonedx.org/docs/1.6/json). Without a serial number and a time, so that equal deployments have
// equal lists.

import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BundledPackage } from './notice.ts';

/** The name of the file. */
export const SBOM = 'sbom.cdx.json';

type ListedPackage = Pick<BundledPackage, 'name' | 'version' | 'license'>;

/** A component of CycloneDX. */
interface Component {
  type: 'library';
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  licenses?: object[];
}

/** The list. */
interface Sbom {
  bomFormat: 'CycloneDX';
  specVersion: '1.6';
  version: 1;
  metadata: { component: object };
  components: Component[];
}

/** The heading of a package in the license file of Vite: `## preact - 11.2.0 (MIT)`. */
const PAGE_PACKAGE = /^## (\S+) - (\S+) \((.+)\)$/gm;

/** The packages of the dashboard, from the text of Vite's license file. */
export function pagePackages(licenses: string): ListedPackage[] {
  return [...licenses.matchAll(PAGE_PACKAGE)].map(([, name = '', version = '', license = '']) => ({
    name,
    version,
    license,
  }));
}

/** Writes the list of the deployment in `folder`. If it has one, adds to it. */
export async function writeSbom(
  folder: string,
  version: string,
  packages: readonly ListedPackage[],
): Promise<void> {
  const file = join(folder, SBOM);
  const known = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Sbom).components : [];
  const components = new Map([...known, ...packages.map(toSbomComponent)].map((one) => [one.purl, one]));
  const list: Sbom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': `inquest@${version}`,
        name: 'inquest',
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [...components.keys()].sort().flatMap((purl) => components.get(purl) ?? []),
  };
  await writeFile(file, `${JSON.stringify(list, null, 2)}\n`);
}

function toSbomComponent({ name, version, license }: ListedPackage): Component {
  const [scope, bare] = name.startsWith('@') ? name.split('/') : [undefined, name];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    type: 'library',
    'bom-ref': purl,
    ...(scope !== undefined && { group: scope }),
    name: bare ?? name,
    version,
    purl,
    licenses: [toSbomLicense(license)],
  };
}

/** An id of SPDX, an expression of several, or any other text. */
function toSbomLicense(license: string): object {
  if (/ (?:OR|AND|WITH) /.test(license)) return { expression: license };
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { license: { name: license } };
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/ownConfig.ts';
import { pagePackages, SBOM, writeSbom } from './sbom.ts';

const LICENSES = `# Licenses

## @preact/signals-core - 1.14.5 (MIT)

The MIT License (MIT)

## dompurify - 3.0.0 ((MPL-2.0 OR Apache-2.0))
`;

it('lists packages of the bundle, of the dashboard and of providers, each once, in one order', async () => {
  const folder = temporaryFolder();
  const zod = { name: 'zod', version: '4.6.7', license: 'MIT' };
  await writeSbom(folder, '1.2.3', [zod, ...pagePackages(LICENSES)]);
  const added = [zod, { ...zod, version: '3.0.0', license: 'SEE LICENSE IN LICENSE' }];
  await writeSbom(folder, '1.2.3', added);
  const text = readFileSync(join(folder, SBOM), 'utf8');
  const { bomFormat, specVersion, metadata, components } = JSON.parse(text);
  expect({ bomFormat, specVersion, application: metadata.component.version }).toEqual({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    application: '1.2.3',
  });
  expect(
    components.map(({ purl, licenses }: { purl: string; licenses: object[] }) => [purl, licenses]),
  ).toEqual([
    ['pkg:npm/%40preact/signals-core@1.14.5', [{ license: { id: 'MIT' } }]],
    ['pkg:npm/dompurify@3.0.0', [{ expression: '(MPL-2.0 OR Apache-2.0)' }]],
    ['pkg:npm/zod@3.0.0', [{ license: { name: 'SEE LICENSE IN LICENSE' } }]],
    ['pkg:npm/zod@4.6.7', [{ license: { id: 'MIT' } }]],
  ]);
  expect(components[0]).toMatchObject({ type: 'library', group: '@preact', name: 'signals-core' });
});

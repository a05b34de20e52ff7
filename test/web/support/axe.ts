// What axe finds on a page.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds: the rule, and its first elements. @param rules Default: axe's. */
export async function listViolations(page: Page, rules?: string[]): Promise<string[]> {
  // The dashboard has no frames, so no second page is needed. Only violations are listed.
  const builder = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const { violations } = await (rules ? builder.withRules(rules) : builder).analyze();
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .slice(0, 3)
        .map(({ html }) => html.slice(0, 160))
        .join(' | ')}`,
  );
}

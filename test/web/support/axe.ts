// What axe finds on a page.

import AxeBuilder from '@axe-core/playwright';
import type { Page } from 'playwright-core';

/** What axe finds on a page: the rule, and the first elements that break it. @param rules Default: those that axe runs. */
export async function violationsOf(page: Page, rules?: string[]): Promise<string[]> {
  // The dashboard has no frames, which is all that a second page would be opened for. Elements without violations are not listed.
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

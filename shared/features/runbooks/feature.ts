// Runbooks: instructions for people about an alert, which agents follow as well.

import { runbookPart } from '../../alerts/schema/usedRunbook.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { resolveRunbook } from './resolveRunbook.ts';

/** Adds the runbook that the chain names or the alert links to. */
export const RUNBOOKS: IntakeFeature = {
  async addContext({ alert, masker, session }, { runbooks }, deps) {
    const { runbook, notice } = await resolveRunbook(
      { alert, chain: session.chain.name, masker },
      runbooks,
      deps,
    );
    return { change: withPart(runbookPart, NO_PARTS, runbook ?? undefined), notice };
  },
};

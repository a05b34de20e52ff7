// What changed before an alert: agents of a new session get the block with their first message.

import { changesPrompt, changesText } from '../../changes/block.ts';
import { changesPart } from '../../changes/change.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import { withoutMarks } from '../../core/prompts/findings.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { findChanges } from './findChanges.ts';

/** Adds the changes before the alert. If they cannot be read, the investigation starts without them. */
export const CHANGES: IntakeFeature = {
  async addContext({ alert, masker, reportedAt, session: { tenantId, dataNonce } }, { services }, deps) {
    const nothing = { change: {}, notice: null };
    try {
      const start = alert.startedAt ?? reportedAt;
      const found = await findChanges(
        { tenantId, alert, start },
        { services, now: deps.clock.now() },
        deps.store,
      );
      if (found.sources.length === 0) return nothing;
      const text = withoutMarks(cleanText(masker, changesText(found)).text);
      const changes = { text: changesPrompt(text, dataNonce), scopes: found.scopes };
      const number = found.shown.length + found.others;
      const content = `What changed: ${number === 0 ? 'nothing is recorded' : `${number} changes are recorded`} in the 24 hours before the alert, near its resource. Agents are shown the ${found.shown.length} most relevant.`;
      return {
        change: withPart(changesPart, NO_PARTS, changes),
        notice: { code: 'what_changed', subject: String(number), content },
      };
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      deps.log.warn({ err: error }, `changes could not be read: ${errorMessage(error)}`);
      return nothing;
    }
  },
};

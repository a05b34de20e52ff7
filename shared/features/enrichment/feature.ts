// Enrichment: labels from tables of the installation, before triage, and for agents below the alert.

import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { enrichAlert } from '../../kits/enrichment/enrichAlert.ts';
import { quoteText } from '../../text/cut.ts';

/** Characters of the line that agents read. */
const MAX_LINE = 4_000;

/** Adds the labels that enrich.yaml looks up. */
export const ENRICHMENT: IntakeFeature = {
  async enrich(read, { enrich = [] }, deps) {
    if (enrich.length === 0) return read;
    const mask = (text: string) => read.masker.mask(text).text;
    const { alert, lookedUp } = await enrichAlert(read.alert, enrich, { ...deps, mask });
    const names = new Set(lookedUp.flatMap(({ values }) => Object.keys(values)));
    const enriched = Object.entries(alert.labels).filter(([name]) => names.has(name));
    return { ...read, alert, enriched: Object.fromEntries(enriched) };
  },

  async addContext({ enriched = {}, session }) {
    const pairs = Object.entries(enriched).map(([name, value]) => `${name}: ${value}`);
    if (pairs.length === 0) return { change: {}, notice: null };
    const line = quoteText(`From this installation's tables: ${pairs.join('; ')}`, MAX_LINE);
    return { change: { input: `${session.input}\n\n${line}` }, notice: null };
  },
};

// Enrichment: labels from tables of the installation, before triage.

import type { IntakeFeature } from '../../kernel/feature/intakeFeature.ts';
import { enrichAlert } from './enrichAlert.ts';

/** Adds the labels that enrich.yaml looks up. */
export const ENRICHMENT: IntakeFeature = {
  async enrich(read, { enrich = [] }, deps) {
    if (enrich.length === 0) return read;
    const mask = (text: string) => read.masker.mask(text).text;
    const { alert } = await enrichAlert(read.alert, enrich, { ...deps, mask });
    return { ...read, alert };
  },
};

// The scripts of the scripted model: those of the scripted Gemini, and two fields about investigations.
//
//   for: { title: KubePodCrashLooping, labels: { namespace: shop } }   # answered alerts; several: a list
//   summary: { text: Checkout is down. }           # the executive summary; a turn, with a text by default
//
// Requests about another alert, or about none, get the answer that no model is connected (noModel.ts). A
// script without `for` answers every request. Both state on the wire that the alert is not named, so that
// Inquest marks the analysis. `for: {}` names every alert.
//
// Names of tools are `server.tool`, and are sent by their wire names.

import * as z from 'zod';
import { scriptFields, turnSchema } from '../../packages/scripted-gemini/src/index.ts';
import { strictMapping } from '../../shared/config/fields.ts';

/** An alert that a script names: text that must occur in its title, and labels that its body must have. */
const namedAlertSchema = strictMapping({
  title: z.string().min(1).optional(),
  labels: z.record(z.string().min(1), z.string().min(1)).default({}),
});
/** An alert that a script names. */
export type NamedAlert = z.infer<typeof namedAlertSchema>;

/** The summary of a script without `summary`. */
const DEFAULT_SUMMARY = 'The analysis has the cause and the remedy.';

/** The whole script. */
export const modelScriptSchema = strictMapping({
  ...scriptFields,
  for: z
    .union([namedAlertSchema.transform((alert) => [alert]), z.array(namedAlertSchema).min(1)], {
      error: 'must be a map with title and labels of an alert, or a list of such maps',
    })
    .optional(),
  /** The response to a request for the executive summary. */
  summary: turnSchema.default({ text: DEFAULT_SUMMARY }),
});
/** A script in a file. */
export type ModelScript = z.input<typeof modelScriptSchema>;
/** A script after validation. */
export type ParsedModelScript = z.infer<typeof modelScriptSchema>;

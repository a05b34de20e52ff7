// A call that shows whether a state is different elsewhere or before.

import * as z from 'zod';

/** A call for contrast. */
export const contrastCallSchema = z.strictObject({
  /** `server.tool` */
  tool: z.string().min(1),
  /** JSON text. */
  arguments: z.string(),
  /** The evidence that it belongs to: `EXECUTION:e1`. */
  supports: z.array(z.string()),
  /** An equally long time before, or a healthy sibling. */
  by: z.enum(['earlier', 'sibling']),
  /** The end of its time, in ISO 8601. Absent: that of the execution that makes only such calls. */
  until: z.iso.datetime().optional(),
});
/** A call for contrast. */
export type ContrastCall = z.infer<typeof contrastCallSchema>;

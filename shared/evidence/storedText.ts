// The stored bytes of a result: those of its pieces where it is stored whole, else those of its block.

import type { ToolResultBlock } from '../core/schema/block.ts';
import { toolResultText } from '../schema/toolResultText.ts';
import { LEFT_OUT } from '../text/omissionNote.ts';

/** Whether the stored text lacks a part of the answer. */
export const isCutText = (block: ToolResultBlock): boolean =>
  block.stored === undefined && toolResultText(block).search(LEFT_OUT) !== -1;

/**
 * The text in which evidence is searched. The block of a stored result shows a part or a summary, which is
 * never searched.
 * @param pieces the texts of its pieces, in order; undefined where it is not stored apart.
 * @returns undefined where the pieces of a stored result are missing, and where no tool answered.
 */
export function buildStoredText(
  block: ToolResultBlock,
  pieces: readonly string[] | undefined,
): string | undefined {
  if (block.noAnswer === true) return undefined;
  if (block.stored === undefined) return toolResultText(block).replace(LEFT_OUT, '');
  if (pieces === undefined || pieces.length !== block.stored.parts) return undefined;
  return pieces.join('');
}

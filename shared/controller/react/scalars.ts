// Single values of an Action Input that is not JSON.

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const DECIMAL = /^-?(?:\d+\.\d+|\.\d+)$/;

/**
 * A bare word as a value: true, false, null and none in any case, integers, decimals. The rest stays text; so do NaN and
 * Infinity, which JSON has not, and integers that would lose digits (long ids) or zeros in front.
 */
export function scalarOf(text: string): string | number | boolean | null {
  switch (text.toLowerCase()) {
    case 'true':
      return true;
    case 'false':
      return false;
    case 'null':
    case 'none':
      return null;
  }
  if (INTEGER.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : text;
  if (DECIMAL.test(text)) return Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}

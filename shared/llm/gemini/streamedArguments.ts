// Joins function call arguments that arrive in pieces: `partialArgs` with a JSON path and a value.

import { asArray, asObject, isObject, type JsonObject } from '../../text/json.ts';

/** Limits against paths that would build something huge out of a few bytes. */
const MAX_PATH_STEPS = 64;
const MAX_ARRAY_INDEX = 10_000;

const STEP = /\.([^.[\]'"]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\]/y;

/** The steps of a path such as `$.a[0].b` or `$['a b']`: names and indices; null when it is none we take. */
export function parseJsonPath(path: unknown): (string | number)[] | null {
  if (typeof path !== 'string' || !path.startsWith('$')) return null;
  const steps: (string | number)[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path);
    if (match === null) return null;
    const [, dotted, index, single, double] = match;
    const name = dotted ?? (single ?? double)?.replace(/\\(.)/g, '$1');
    if (name !== undefined) steps.push(name);
    else steps.push(Number(index));
  }
  const last = steps.at(-1);
  const usable = last !== undefined && steps.length <= MAX_PATH_STEPS && typeof steps[0] === 'string';
  return usable && steps.every(isSafeStep) ? steps : null;
}

function isSafeStep(step: string | number): boolean {
  return typeof step === 'number' ? step <= MAX_ARRAY_INDEX : step !== '__proto__';
}

type Container = JsonObject | unknown[];

function isContainer(value: unknown): value is Container {
  return isObject(value) || Array.isArray(value);
}

function readArgumentValue(container: Container, step: string | number): unknown {
  if (Array.isArray(container)) return typeof step === 'number' ? container[step] : undefined;
  return Object.hasOwn(container, step) ? container[step] : undefined;
}

/** Writes the value. False when the kind of container does not allow it. Gaps in a list become null. */
function writeValue(container: Container, step: string | number, value: unknown): boolean {
  if (!Array.isArray(container)) {
    if (typeof step === 'number') return false;
    container[step] = value;
    return true;
  }
  if (typeof step !== 'number') return false;
  while (container.length < step) container.push(null);
  container[step] = value;
  return true;
}

/** Adds a piece to `args`: text is appended, other values are set. False if it has no place. */
function applyPiece(args: JsonObject, piece: JsonObject): boolean {
  const steps = parseJsonPath(piece.jsonPath);
  if (steps === null) return false;
  let container: Container = args;
  for (const [position, step] of steps.entries()) {
    const current = readArgumentValue(container, step);
    const following = steps[position + 1];
    if (following === undefined) return writePiece(container, step, current, piece);
    if (isContainer(current)) {
      container = current;
      continue;
    }
    if (current !== undefined && current !== null) return false;
    const made: Container = typeof following === 'number' ? [] : {};
    if (!writeValue(container, step, made)) return false;
    container = made;
  }
  return false;
}

function writePiece(
  container: Container,
  step: string | number,
  current: unknown,
  piece: JsonObject,
): boolean {
  if (typeof piece.stringValue === 'string') {
    const before = typeof current === 'string' ? current : '';
    return writeValue(container, step, before + piece.stringValue);
  }
  if (typeof piece.numberValue === 'number') return writeValue(container, step, piece.numberValue);
  if (typeof piece.boolValue === 'boolean') return writeValue(container, step, piece.boolValue);
  if (Object.hasOwn(piece, 'nullValue')) return writeValue(container, step, null);
  // A piece without a value only closes its path.
  return true;
}

/**
 * Adds the pieces of one fragment to `args`, which is changed in place.
 * @returns false when a piece could not be placed: the arguments are incomplete, so the call must not be
 * executed.
 */
export function applyPartialArgs(args: JsonObject, partialArgs: unknown): boolean {
  return asArray(partialArgs)
    .map((piece) => applyPiece(args, asObject(piece)))
    .every((placed) => placed);
}

// Single values of the protocol in JSON: https://protobuf.dev/programming-guides/json/

import { StatusError, status } from '../protocol/status.ts';

/** The error for a request with unfit JSON. @param at the value's path, '' for the body. */
export function jsonError(at: string, problem: string): StatusError {
  const where = at === '' ? 'the request' : `'${at}'`;
  return new StatusError(status.INVALID_ARGUMENT, `Invalid JSON payload received. ${where}: ${problem}`);
}

const [MAX_32, MAX_64] = [2n ** 31n, 2n ** 63n];
const SIGNED_32 = [-MAX_32, MAX_32 - 1n] as const;
const UNSIGNED_32 = [0n, MAX_32 * 2n - 1n] as const;
const SIGNED_64 = [-MAX_64, MAX_64 - 1n] as const;
const UNSIGNED_64 = [0n, MAX_64 * 2n - 1n] as const;

/** Least and greatest value of each type of integers. */
const INTEGERS: Record<string, readonly [bigint, bigint]> = {
  int32: SIGNED_32,
  sint32: SIGNED_32,
  sfixed32: SIGNED_32,
  uint32: UNSIGNED_32,
  fixed32: UNSIGNED_32,
  int64: SIGNED_64,
  sint64: SIGNED_64,
  sfixed64: SIGNED_64,
  uint64: UNSIGNED_64,
  fixed64: UNSIGNED_64,
};
const NON_FINITE = ['NaN', 'Infinity', '-Infinity'];

/**
 * A value of a scalar type, as protobufjs takes it.
 * @param type of the protocol: `int64`, `string`, `bytes`.
 * @param value of JSON; integers above 2^53 are `bigint`.
 * @throws StatusError INVALID_ARGUMENT
 */
export function scalarFromJson(type: string, value: unknown, at: string): unknown {
  const range = INTEGERS[type];
  if (range !== undefined) return integerFromJson(type, range, value, at);
  switch (type) {
    case 'bool':
      if (typeof value === 'boolean') return value;
      throw jsonError(at, 'has to be true or false.');
    case 'string':
      if (typeof value === 'string') return value;
      throw jsonError(at, 'has to be a string.');
    case 'bytes':
      return bytesFromJson(value, at);
    default:
      return numberFromJson(value, at);
  }
}

function integerFromJson(
  type: string,
  [min, max]: readonly [bigint, bigint],
  value: unknown,
  at: string,
): string {
  let number: bigint | undefined;
  if (typeof value === 'bigint') number = value;
  else if (typeof value === 'number' && Number.isInteger(value)) number = BigInt(value);
  else if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) number = BigInt(value);
  if (number === undefined || number < min || number > max) {
    throw jsonError(at, `has to be an integer of the type ${type}.`);
  }
  return String(number);
}

function numberFromJson(value: unknown, at: string): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    if (NON_FINITE.includes(value)) return Number(value);
    if (value.trim() === value && value !== '' && Number.isFinite(Number(value))) return Number(value);
  }
  throw jsonError(at, 'has to be a number, "NaN", "Infinity" or "-Infinity".');
}

/** Base64 of either alphabet, with or without padding. */
function bytesFromJson(value: unknown, at: string): Buffer {
  if (typeof value === 'string' && /^[\w+/-]*={0,2}$/.test(value)) {
    const digits = value.replace(/=+$/, '').length;
    if (digits % 4 !== 1) return Buffer.from(value, 'base64');
  }
  throw jsonError(at, 'has to be bytes in base64.');
}

/** A value of a scalar type as JSON. @param value as protobufjs gives it, 64-bit integers as strings. */
export function scalarToJson(type: string, value: unknown): unknown {
  if (type === 'bytes') return Buffer.from(value as Uint8Array).toString('base64');
  if (type !== 'double' && type !== 'float') return value;
  // JSON of JavaScript has no negative zero.
  return Number.isFinite(value) && !Object.is(value, -0)
    ? value
    : Object.is(value, -0)
      ? '-0'
      : String(value);
}

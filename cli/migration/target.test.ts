import { describe, expect, it } from 'vitest';
import { migrationTarget } from './target.ts';

const emulator = { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' };
const real = { GOOGLE_CLOUD_PROJECT: 'shop-prod' };
const plain = { yes: false, dryRun: false };

describe('the database a migration rewrites', () => {
  it('must be named by the environment', () => {
    const elsewhere = { PUBSUB_EMULATOR_HOST: '127.0.0.1:8085' };
    for (const env of [{}, elsewhere]) {
      expect(() => migrationTarget(env, { yes: true, dryRun: true })).toThrow('no database is named');
    }
  });

  it('accepts an emulator without further options', () => {
    expect(migrationTarget(emulator, plain)).toBe('project demo-inquest, emulator 127.0.0.1:8080');
    expect(migrationTarget({ ...emulator, ...real }, plain)).toBe(
      'project shop-prod, emulator 127.0.0.1:8080',
    );
  });

  it('accepts a real project only with --yes, and names it', () => {
    expect(() => migrationTarget(real, plain)).toThrow('the real project shop-prod: confirm with --yes');
    expect(migrationTarget(real, { yes: true, dryRun: false })).toBe('the real project shop-prod');
  });

  it('is named if it is not the default one', () => {
    const named = { ...real, FIRESTORE_DATABASE: 'second' };
    expect(migrationTarget(named, { yes: true, dryRun: false })).toBe(
      'the real project shop-prod, database second',
    );
  });

  it('can be read without it', () => {
    expect(migrationTarget(real, { yes: false, dryRun: true })).toBe('the real project shop-prod');
  });
});

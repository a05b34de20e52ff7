import { jwtVerify } from 'jose';
import { expect, it } from 'vitest';
import { createTestClock } from '../../testClock.fixture.ts';
import { createPushTokens } from './pushTokens.ts';

const EMAIL = 'inquest-push@project.iam.gserviceaccount.com';
const AUDIENCE = 'https://inquest-sweep-1.europe-west1.run.app';

it('a token names the service account and the audience, and is valid for an hour', async () => {
  const clock = createTestClock();
  const tokens = createPushTokens(clock);
  const token = tokens.tokenFor(EMAIL, AUDIENCE);
  const { payload, protectedHeader } = await jwtVerify(token, tokens.publicKey(), {
    audience: AUDIENCE,
    issuer: 'https://accounts.google.com',
    currentDate: clock.now(),
  });
  expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT', kid: expect.any(String) });
  expect(payload).toMatchObject({ email: EMAIL, email_verified: true, sub: EMAIL });
  expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
});

it('a token is sent again for half an hour, and only to its audience', () => {
  const clock = createTestClock();
  const tokens = createPushTokens(clock);
  const first = tokens.tokenFor(EMAIL, AUDIENCE);
  expect(tokens.tokenFor(EMAIL, `${AUDIENCE}/other`)).not.toBe(first);
  clock.advance(29 * 60_000);
  expect(tokens.tokenFor(EMAIL, AUDIENCE)).toBe(first);
  clock.advance(60_000);
  expect(tokens.tokenFor(EMAIL, AUDIENCE)).not.toBe(first);
});

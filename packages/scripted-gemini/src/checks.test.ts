import { describe, expect, it } from 'vitest';
import { MODEL, partsOf, serve, TOOLS, user } from './serve.fixture.ts';

const script = {
  models: [MODEL, 'gemini-3.1-pro-preview', 'gemini-2.5-pro', 'gemini-4-argon'],
  conversations: [{ turns: [1, 2, 3].map(() => ({ text: 'answered' })) }],
};
const DUMMY = Buffer.from('skip_thought_signature_validator').toString('base64');

type Json = Record<string, unknown>;
const call = (name: string, extra: Json = {}, signature: string | null = DUMMY) => ({
  functionCall: { name, args: {}, ...extra },
  ...(signature === null ? {} : { thoughtSignature: signature }),
});
const response = (name: string, extra: Json = {}) => ({ functionResponse: { name, response: {}, ...extra } });
const model = (...parts: Json[]) => ({ role: 'model', parts });
const results = (...parts: Json[]) => ({ role: 'user', parts });

/** The message of the refusal, or "answered". */
async function ask(
  body: Json,
  options: { model?: string; path?: string; headers?: Record<string, string> } = {},
) {
  const { post } = await serve(script);
  const path = options.path ?? `/v1beta/models/${options.model ?? MODEL}:generateContent`;
  const headers = options.headers ?? {};
  const reply = await post({ contents: [user('hi')], ...body }, { path, headers });
  if (reply.status === 200) return 'answered';
  const parsed: unknown = await reply.json();
  const [{ error }] = (Array.isArray(parsed) ? parsed : [parsed]) as [{ error: { message: string } }];
  return error.message;
}
const askWith = (contents: Json[], options?: { model: string }) => ask({ contents }, options);

describe('contents', () => {
  it.each<[string, Json[], string | RegExp]>([
    ['none', [], /contents is not specified/],
    [
      'a part without data',
      [results({ thought: true })],
      /contents\[0\]\.parts\[0\]\.data: required oneof field/,
    ],
    ['a part of two kinds', [results({ text: 'a', inlineData: {} })], /oneof field 'data' is already set/],
    ['a content without parts', [results()], /contents\[0\]\.parts: contents\.parts must not be empty/],
    [
      'an unknown role',
      [{ role: 'assistant', parts: [{ text: 'a' }] }],
      'Please use a valid role: user, model.',
    ],
    [
      'results with the role function',
      [user('a'), model(call('a')), { role: 'function', parts: [response('a')] }],
      'Please use a valid role: user, model.',
    ],
    ['a model content first', [model({ text: 'a' }), user('b')], /start with a user role/],
    [
      'a model content last',
      [user('a'), model({ text: 'b' })],
      /end with a user role or a function response/,
    ],
    ['empty text', [results({ text: '' })], 'answered'],
    ['two user contents in a row', [user('a'), user('b')], 'answered'],
  ])('%s', async (_name, contents, expected) => {
    expect(await askWith(contents)).toMatch(expected);
  });
});

describe('function calls and responses', () => {
  const COUNT = /number of function response parts is equal to the number of function call parts/;
  it.each<[string, Json[], string | RegExp]>([
    ['in pairs', [model(call('a'), call('b', {}, null)), results(response('a'), response('b'))], 'answered'],
    ['of undeclared tools', [model(call('gone')), results(response('gone'))], 'answered'],
    ['too few responses', [model(call('a'), call('b')), results(response('a'))], COUNT],
    ['too many responses', [model(call('a')), results(response('a'), response('b'))], COUNT],
    [
      'responses in two contents',
      [model(call('a'), call('b')), results(response('a')), results(response('b'))],
      COUNT,
    ],
    ['other content between', [model(call('a')), user('wait'), results(response('a'))], COUNT],
    ['no responses', [model(call('a'))], COUNT],
    ['another name', [model(call('a')), results(response('b'))], /`b` does not match function call `a`/],
    ['another order', [model(call('a'), call('b')), results(response('b'), response('a'))], /does not match/],
    ['responses without calls', [results(response('a'))], /function response turn comes immediately after/],
    [
      'calls after a model content',
      [model({ text: 'x' }), model(call('a')), results(response('a'))],
      /function call turn comes immediately after/,
    ],
    ['calls of the user', [results(call('a')), results(response('a'))], /only used with the model role/],
    ['responses of the model', [model(response('a')), user('x')], /only used with the user role/],
    ['a call without a name', [model(call('')), results(response(''))], /Name cannot be empty/],
    [
      'arguments that are no object',
      [model(call('a', { args: 'x' })), results(response('a'))],
      /^Invalid value at 'contents\[1\]\.parts\[0\]\.function_call\.args'/,
    ],
    [
      'a response that is no object',
      [model(call('a')), results(response('a', { response: 'x' }))],
      /^Invalid value at .*function_response\.response'/,
    ],
    [
      'the ids of the calls',
      [model(call('a', { id: '1' })), results(response('a', { id: '1' }))],
      'answered',
    ],
    [
      'another id',
      [model(call('a', { id: '1' })), results(response('a', { id: '2' }))],
      /id `2` does not match/,
    ],
    [
      'no id where the call had one',
      [model(call('a', { id: '1' })), results(response('a'))],
      /id is required/,
    ],
  ])('%s', async (_name, history, expected) => {
    expect(await askWith([user('hi'), ...history])).toMatch(expected);
  });

  it('before Gemini 3.5 a response can leave the id out', async () => {
    const contents = [user('hi'), model(call('a', { id: '1' })), results(response('a'))];
    expect(await askWith(contents, { model: 'gemini-3.1-pro-preview' })).toBe('answered');
  });

  it('a wrong count is answered with an array body', async () => {
    const { post } = await serve(script);
    const reply = await post({ contents: [user('hi'), model(call('a')), user('x')] });
    expect(await reply.json()).toMatchObject([{ error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
  });
});

describe('thought signatures', () => {
  const step = (signature: string | null) => [model(call('a', {}, signature)), results(response('a'))];

  it.each<[string, string | RegExp]>([
    [MODEL, /missing a thought_signature in functionCall parts.*`default_api:a` , position 2/],
    [
      'gemini-3.1-pro-preview',
      /^Function call `a` in the `2\.` content block is missing a `thought_signature`/,
    ],
    ['gemini-4-argon', /missing a thought_signature in functionCall parts/],
    ['gemini-2.5-pro', 'answered'],
  ])('missing with %s', async (name, expected) => {
    expect(await askWith([user('hi'), ...step(null)], { model: name })).toMatch(expected);
  });

  it('are demanded of every step of the current turn', async () => {
    expect(await askWith([user('hi'), ...step(DUMMY), ...step(null)])).toMatch(/missing.*position 4/);
  });

  it('are not demanded of earlier turns', async () => {
    expect(await askWith([user('hi'), ...step(null), model({ text: 'so' }), user('and?')])).toBe('answered');
  });

  it.each([
    DUMMY,
    'skip_thought_signature_validator',
    'context_engineering_is_the_way_to_go',
    Buffer.from('context_engineering_is_the_way_to_go').toString('base64'),
  ])('can be the dummy %s', async (dummy) => {
    expect(await askWith([user('hi'), ...step(dummy)])).toBe('answered');
  });

  it('of elsewhere are refused', async () => {
    const foreign = Buffer.from('signed by somebody else, somewhere else').toString('base64');
    expect(await askWith([user('hi'), ...step(foreign)])).toBe('Invalid/Corrupted thought signature.');
  });

  it('that are short or no base64 are refused', async () => {
    expect(await askWith([user('hi'), ...step('???')])).toBe('Invalid/Corrupted thought signature.');
  });

  describe('issued by the server', () => {
    const issue = async (name: string) => {
      const { stream } = await serve({
        conversations: [{ turns: [{ toolCalls: [{ name: 'a', args: { x: 1 } }] }] }],
      });
      const [part] = partsOf(await stream({ model: name, config: { tools: TOOLS } }));
      return part?.thoughtSignature ?? '';
    };
    const replayed = async (args: Json, name: string) =>
      askWith([user('hi'), model(call('a', { args }, await issue(MODEL))), results(response('a'))], {
        model: name,
      });

    it('are accepted on their part, also by another server and another model of the family', async () => {
      expect(await replayed({ x: 1 }, 'gemini-3.1-pro-preview')).toBe('answered');
    });

    it('are refused on another call', async () => {
      expect(await replayed({ x: 2 }, MODEL)).toBe('Invalid/Corrupted thought signature.');
    });

    it('are refused by another family', async () => {
      expect(await replayed({ x: 1 }, 'gemini-4-argon')).toBe('Invalid/Corrupted thought signature.');
    });

    it('are refused on text merged over the part they were on', async () => {
      const { stream } = await serve({ conversations: [{ turns: [{ text: 'so' }] }] });
      const signature = partsOf(await stream()).at(-1)?.thoughtSignature;
      const merged = model({ text: 'so', thoughtSignature: signature });
      expect(await askWith([user('hi'), merged, user('x')])).toBe('Invalid/Corrupted thought signature.');
      const apart = model({ text: 'so' }, { text: '', thoughtSignature: signature });
      expect(await askWith([user('hi'), apart, user('x')])).toBe('answered');
    });
  });
});

describe('tools', () => {
  const declare = (...declarations: Json[]) => [{ functionDeclarations: declarations }];
  const search = [...declare({ name: 'a' }), { googleSearch: {} }];
  const flag = { includeServerSideToolInvocations: true };

  it.each<[string, Json, string | RegExp]>([
    [
      'a name with a dot',
      { tools: declare({ name: 'k8s.get' }) },
      /function_declarations\[0\]\.name: Invalid function name/,
    ],
    ['a name of 65 characters', { tools: declare({ name: 'a'.repeat(65) }) }, /Invalid function name/],
    ['a name of 64 characters', { tools: declare({ name: 'a'.repeat(64) }) }, 'answered'],
    [
      'a name twice',
      { tools: declare({ name: 'a' }, { name: 'a' }) },
      'Duplicate function declaration found: a',
    ],
    [
      'both kinds of parameters',
      { tools: declare({ name: 'a', parameters: {}, parametersJsonSchema: {} }) },
      /mutually exclusive/,
    ],
    [
      '512 declarations',
      { tools: declare(...Array.from({ length: 512 }, (_, i) => ({ name: `f${i}` }))) },
      'answered',
    ],
    [
      '513 declarations',
      { tools: declare(...Array.from({ length: 513 }, (_, i) => ({ name: `f${i}` }))) },
      /maximum is 512/,
    ],
    [
      'an unknown tool',
      { tools: [{ crystalBall: {} }] },
      `Invalid JSON payload received. Unknown name "crystalBall" at 'tools[0]': Cannot find field.`,
    ],
    [
      'built-in tools with functions',
      { tools: search },
      /^Please enable tool_config\.include_server_side_tool_invocations/,
    ],
    ['the same with the flag', { tools: search, toolConfig: flag }, 'answered'],
    [
      'the same with mode AUTO',
      { tools: search, toolConfig: { ...flag, functionCallingConfig: { mode: 'AUTO' } } },
      /AUTO is not supported/,
    ],
    ['built-in tools alone', { tools: [{ googleSearch: {} }, { urlContext: {} }] }, 'answered'],
  ])('%s', async (_name, body, expected) => {
    expect(await ask(body)).toMatch(expected);
  });

  const X = '.parameters_json_schema.properties[x]';
  it.each<[string, Json, string]>([
    ['an object', { x: { type: 'array', items: { type: 'string' } }, _1: {} }, 'answered'],
    ['a name with a dash', { 'x-api-key': {} }, '[x-api-key]: Invalid parameter name.'],
    ['a name with a dollar', { $filter: {} }, '[$filter]: Invalid parameter name.'],
    ['a name of 65 characters', { ['a'.repeat(65)]: {} }, ': Invalid parameter name.'],
    ['a name of 64 characters', { ['a'.repeat(64)]: {} }, 'answered'],
    ['an odd name further in', { x: { properties: { 'a b': {} } } }, `${X}.properties[a b]: Invalid`],
    ['an empty value', { x: { type: 'string', enum: ['a', ''] } }, `${X}.enum[1]: cannot be empty`],
    ['values without a type', { x: { enum: ['a'] } }, `${X}.enum: only allowed for STRING type`],
    ['values of another type', { x: { type: 'integer', enum: [1] } }, `${X}.enum: only allowed for STRING`],
    ['a list of anything', { x: { type: 'array' } }, `${X}.items: missing field.`],
    [
      'such a list in a list',
      { x: { type: 'array', items: { type: 'array' } } },
      `${X}.items.items: missing`,
    ],
    ['the same among alternatives', { x: { anyOf: [{ type: 'array' }] } }, `${X}.any_of[0].items: missing`],
    ['an undefined one required', { x: { required: ['y'] } }, `${X}.required[0]: property is not defined`],
  ])('take as parameters: %s', async (_name, properties, expected) => {
    const parametersJsonSchema = { type: 'object', properties };
    expect(await ask({ tools: declare({ name: 'a', parametersJsonSchema }) })).toContain(expected);
  });

  it.each([{}, { type: 'string' }])('take no %j as parameters', async (parametersJsonSchema) => {
    expect(await ask({ tools: declare({ name: 'a', parametersJsonSchema }) })).toContain('must be OBJECT');
  });

  it('built-in ones exclude functions on Gemini 2.5 and on the enterprise paths', async () => {
    expect(await ask({ tools: search, toolConfig: flag }, { model: 'gemini-2.5-pro' })).toMatch(
      /unsupported/,
    );
    const path = `/v1beta1/publishers/google/models/${MODEL}:generateContent`;
    expect(await ask({ tools: search }, { path })).toMatch(/^Multiple tools are supported only when/);
  });
});

describe('generation settings', () => {
  const thinking = (thinkingConfig: Json) => ({ generationConfig: { thinkingConfig } });
  it.each<[string, string, Json, string | RegExp]>([
    [
      'temperature, topP and topK',
      MODEL,
      { generationConfig: { temperature: 1, topP: 0.9, topK: 40 } },
      'answered',
    ],
    ['a thinking budget', MODEL, thinking({ thinkingBudget: 100 }), 'answered'],
    ['a thinking budget', 'gemini-4-argon', thinking({ thinkingBudget: 100 }), /budget is not supported/],
    ['level minimal', MODEL, thinking({ thinkingLevel: 'MINIMAL' }), 'answered'],
    ['level minimal', 'gemini-4-argon', thinking({ thinkingLevel: 'MINIMAL' }), /MINIMAL is not supported/],
    ['a thinking level', 'gemini-2.5-pro', thinking({ thinkingLevel: 'LOW' }), /level is not supported/],
    [
      'level and budget',
      MODEL,
      thinking({ thinkingLevel: 'LOW', thinkingBudget: 1 }),
      /only one of thinking budget/,
    ],
    [
      'an unknown key',
      MODEL,
      { generationConfig: { tempreature: 1 } },
      /^Invalid JSON payload received\. Unknown name "tempreature" at 'generation_config': Cannot find field\.$/,
    ],
  ])('%s with %s', async (_name, name, body, expected) => {
    expect(await ask(body, { model: name })).toMatch(expected);
  });
});

describe('the request itself', () => {
  it('with an unknown key is refused', async () => {
    expect(await ask({ system: 'x' })).toBe(
      'Invalid JSON payload received. Unknown name "system": Cannot find field.',
    );
  });

  it('that is no JSON is refused', async () => {
    const { gemini, post } = await serve(script);
    expect((await post('{')).status).toBe(400);
    expect(gemini.requests[0]?.outcome).toMatchObject({ kind: 'refused', status: 400 });
  });

  it('over 20 MB is refused', async () => {
    expect(await ask({ contents: [user('x'.repeat(20 * 1024 * 1024))] })).toMatch(
      /^Request payload size exceeds/,
    );
  });

  it('for a model the script does not know is a 404', async () => {
    expect(await ask({}, { model: 'gemini-3.7-flash' })).toMatch(
      /^models\/gemini-3\.7-flash is not found for API version v1beta/,
    );
  });

  it('for a model that is not Gemini is a 404', async () => {
    const { post } = await serve({ conversations: script.conversations });
    expect(
      (await post({ contents: [user('hi')] }, { path: '/v1beta/models/gpt-9:generateContent' })).status,
    ).toBe(404);
  });

  it('to an unknown path is a 404', async () => {
    const { gemini, post } = await serve(script);
    expect((await post({}, { path: `/v1beta/models/${MODEL}:countTokens` })).status).toBe(404);
    expect(gemini.requests).toEqual([]);
  });

  it('by another method than POST is a 404', async () => {
    const { gemini } = await serve(script);
    expect((await fetch(`${gemini.url}/v1beta/models/${MODEL}:generateContent`)).status).toBe(404);
  });

  it('without a key is refused', async () => {
    expect(await ask({}, { headers: { 'x-goog-api-key': '' } })).toMatch(
      /^Method doesn't allow unregistered callers/,
    );
  });

  it('with a wrong key is refused', async () => {
    expect(await ask({}, { headers: { 'x-goog-api-key': 'invalid-key' } })).toMatch(/^API key not valid/);
  });
});

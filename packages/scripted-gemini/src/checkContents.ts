// Checks a conversation as the API does: roles, parts, signatures, and that responses directly follow their
// calls. Each check returns the API's error for a fault, or undefined.

import { type ApiError, invalidArgument } from './apiError.ts';
import { atLeast, type ModelVersion } from './modelVersion.ts';
import type { GenerateRequest, RequestContent, RequestPart } from './requestSchema.ts';
import { isAcceptedSignature, PART_ANNOTATIONS } from './signature.ts';

type Call = NonNullable<RequestPart['functionCall']>;
type FunctionResponse = NonNullable<RequestPart['functionResponse']>;

const COUNTS_DIFFER =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

/** Checks `contents` and `systemInstruction`. */
export function checkContents(model: ModelVersion, request: GenerateRequest): ApiError | undefined {
  const contents = request.contents ?? [];
  if (contents.length === 0) {
    return invalidArgument('* GenerateContentRequest.contents: contents is not specified\n');
  }
  return (
    checkParts(contents, (index) => `contents[${index}]`) ??
    checkParts(request.systemInstruction ? [request.systemInstruction] : [], () => 'system_instruction') ??
    checkRoles(contents) ??
    checkCallOrder(model, contents) ??
    checkMissingSignatures(model, contents) ??
    checkSignatures(model, contents)
  );
}

const listContentCalls = (content: RequestContent | undefined): Call[] =>
  content?.parts?.flatMap((part) => part.functionCall ?? []) ?? [];
const listContentResponses = (content: RequestContent | undefined): FunctionResponse[] =>
  content?.parts?.flatMap((part) => part.functionResponse ?? []) ?? [];

/** Every content has parts, every part exactly one kind of data. Text can be empty. */
function checkParts(contents: RequestContent[], nameOf: (index: number) => string): ApiError | undefined {
  for (const [index, { parts = [] }] of contents.entries()) {
    const name = nameOf(index);
    if (parts.length === 0) {
      return invalidArgument(`* GenerateContentRequest.${name}.parts: contents.parts must not be empty.\n`);
    }
    for (const [position, part] of parts.entries()) {
      const data = Object.keys(part).filter((key) => !PART_ANNOTATIONS.includes(key));
      const where = `${name}.parts[${position}]`;
      if (data.length === 0) {
        return invalidArgument(
          `* GenerateContentRequest.${where}.data: required oneof field 'data' must have one initialized field\n`,
        );
      }
      if (data.length > 1) {
        return invalidArgument(
          `Invalid value at '${where}' (oneof), oneof field 'data' is already set. Cannot set '${data[1]}'`,
        );
      }
      if (part.functionCall?.name === '' || (part.functionCall && part.functionCall.name === undefined)) {
        return invalidArgument(
          `* GenerateContentRequest.${where}.function_call.name: Name cannot be empty.\n`,
        );
      }
    }
  }
  return undefined;
}

/** Roles: user and model, user first and last; the model has calls, the user responses. */
function checkRoles(contents: RequestContent[]): ApiError | undefined {
  for (const content of contents) {
    const role = content.role ?? 'user';
    if (role !== 'user' && role !== 'model') {
      return invalidArgument('Please use a valid role: user, model.');
    }
    if (role !== 'model' && listContentCalls(content).length > 0) {
      return invalidArgument('Please ensure that function call parts are only used with the model role.');
    }
    if (role === 'model' && listContentResponses(content).length > 0) {
      return invalidArgument('Please ensure that function response parts are only used with the user role.');
    }
  }
  if (contents[0]?.role === 'model' && listContentCalls(contents[0]).length === 0) {
    return invalidArgument('Please ensure that multiturn requests start with a user role.');
  }
  const last = contents.at(-1);
  if (last?.role === 'model' && listContentCalls(last).length === 0) {
    return invalidArgument(
      'Please ensure that multiturn requests end with a user role or a function response.',
    );
  }
  return undefined;
}

/** N calls in a content are followed by N responses in the next, equal names in equal order. */
function checkCallOrder(model: ModelVersion, contents: RequestContent[]): ApiError | undefined {
  for (const [index, content] of contents.entries()) {
    const previous = contents[index - 1];
    const calls = listContentCalls(content);
    if (calls.length > 0 && (previous === undefined || previous.role === 'model')) {
      return invalidArgument(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      );
    }
    if (listContentResponses(content).length > 0 && listContentCalls(previous).length === 0) {
      return invalidArgument(
        'Please ensure that function response turn comes immediately after a function call turn.',
      );
    }
    if (calls.length === 0) continue;
    const responses = listContentResponses(contents[index + 1]);
    if (responses.length !== calls.length) return invalidArgument(COUNTS_DIFFER, { asArray: true });
    for (const [position, call] of calls.entries()) {
      const fault = responseFault(model, call, responses[position] ?? {});
      if (fault !== undefined) {
        const where = `contents[${index + 1}].parts[${position}].function_response`;
        return invalidArgument(`* GenerateContentRequest.${where}${fault}\n`);
      }
    }
  }
  return undefined;
}

function responseFault(model: ModelVersion, call: Call, response: FunctionResponse): string | undefined {
  if (!response.name) return '.name: Name cannot be empty.';
  if (response.name !== call.name) {
    return `.name: function response \`${response.name}\` does not match function call \`${call.name}\`.`;
  }
  if (call.id !== undefined && response.id === undefined) {
    return atLeast(model, 3, 5) ? `.id: id is required, the function call has id \`${call.id}\`.` : undefined;
  }
  return response.id === undefined || call.id === undefined || response.id === call.id
    ? undefined
    : `.id: function response id \`${response.id}\` does not match function call id \`${call.id}\`.`;
}

/** From Gemini 3, the first call of each step of the current turn has a signature. */
function checkMissingSignatures(model: ModelVersion, contents: RequestContent[]): ApiError | undefined {
  if (!atLeast(model, 3)) return undefined;
  const lastInput = contents.findLastIndex(
    (content) => content.role !== 'model' && content.parts?.some((part) => !part.functionResponse),
  );
  for (const [index, content] of contents.entries()) {
    if (index < lastInput) continue;
    const first = content.parts?.find((part) => part.functionCall);
    if (first === undefined || first.thoughtSignature) continue;
    const name = first.functionCall?.name;
    return invalidArgument(
      atLeast(model, 3, 8)
        ? `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${name}\` , position ${index + 1}.`
        : `Function call \`${name}\` in the \`${index + 1}.\` content block is missing a \`thought_signature\`.`,
    );
  }
  return undefined;
}

/** Every signature must come from this server, for this model family and for the part it is on. */
function checkSignatures(model: ModelVersion, contents: RequestContent[]): ApiError | undefined {
  const signed = contents.flatMap((content) => content.parts ?? []).filter((part) => part.thoughtSignature);
  const corrupt = signed.some((part) => !isAcceptedSignature(model, part, part.thoughtSignature ?? ''));
  return corrupt ? invalidArgument('Invalid/Corrupted thought signature.') : undefined;
}

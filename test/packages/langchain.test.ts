// LangChain as it is installed.

import { expect, it } from 'vitest';
import { type LangChain, loadLangchain } from '../../shared/llm/langchain/packages.ts';

it('the installed LangChain is loaded, and has the type that the client expects', async () => {
  const expected: LangChain = await import('langchain/chat_models/universal');
  expect((await loadLangchain('openai')).initChatModel).toBe(expected.initChatModel);
});

// The scripted Gemini for programs: a server with the Gemini API's protocol that answers from a script.

export { listDeclarations } from './checkConfig.ts';
export { type FindTurn, type FoundTurn, findConversation, findTurn, joinText } from './findTurn.ts';
export { ScriptError } from './loadScript.ts';
export type { GenerateRequest } from './requestSchema.ts';
export { type Conversation, type Script, scriptFields, type Turn, turnSchema } from './script.ts';
export type { Sleep } from './sendAnswer.ts';
export { type ScriptedGemini, type ServeOptions, serveScript, startScriptedGemini } from './server.ts';

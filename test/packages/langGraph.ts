// An agent of LangGraph.js whose checkpoints are in Firestore, for the bench of the engine: a graph of a
// model and its tools, as its documentation has it, of which a call runs one iteration.

import { FirestoreSaver } from '@cassina/langgraphjs-checkpoint-firestore';
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool } from '@langchain/core/tools';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import * as z from 'zod';
import type { StartThread, Turn } from '../bench/graphThread.ts';

/** A model that answers from a list, with one turn for each answer that the conversation has already. */
class ScriptedModel extends BaseChatModel {
  readonly #turns: Turn[];

  constructor(turns: Turn[]) {
    super({});
    this.#turns = turns;
  }

  override _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  override async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const answers = messages.filter((message) => AIMessage.isInstance(message)).length;
    const { text, objects } = this.#turns[answers] as Turn;
    const calls = objects.map((object, index) => ({
      id: `call-${messages.length}-${index + 1}`,
      name: 'look',
      args: { object },
      type: 'tool_call' as const,
    }));
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
  }
}

/** Starts a thread on checkpoints of FirestoreSaver. */
export const startThread: StartThread = async (
  threadId,
  { firestore, durability, turns, instructions, input, look },
) => {
  const tools = [
    tool(({ object }) => look(object), {
      name: 'look',
      description: 'Looks at an object.',
      schema: z.object({ object: z.string() }),
    }),
  ];
  const model = new ScriptedModel(turns).bindTools();
  const graph = new StateGraph(MessagesAnnotation)
    .addNode('agent', async ({ messages }) => ({
      messages: [await model.invoke([new SystemMessage(instructions), ...messages])],
    }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'agent')
    .addConditionalEdges('agent', ({ messages }) => {
      const last = messages.at(-1);
      return AIMessage.isInstance(last) && last.tool_calls?.length ? 'tools' : END;
    })
    .addEdge('tools', 'agent')
    .compile({ checkpointer: new FirestoreSaver({ firestore }), interruptBefore: ['agent'] });
  const config = { configurable: { thread_id: threadId }, durability };
  await graph.invoke({ messages: [new HumanMessage(input)] }, config);
  return {
    async next() {
      const { messages } = await graph.invoke(null, config);
      return !AIMessage.isInstance(messages.at(-1));
    },
  };
};

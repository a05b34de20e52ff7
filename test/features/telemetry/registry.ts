// Names of the GenAI and MCP registries of OpenTelemetry
// (github.com/open-telemetry/semantic-conventions-genai, commit 002c8a6ea1c8a42b14a4527db83b3cabcded610a; all
// of them in status "development") that traces and metrics use. `error.type` is of its general registry and
// stable. Names of metrics, and the attributes of tokens, are those of commit
// 066d4a7f356f8600de6f10c42874626ab88692fb. `otel.metric.overflow` is of OpenTelemetry's specification of
// metrics.

/** The pinned names. */
export const REGISTRY = {
  attributes: new Set([
    'error.type',
    'gen_ai.agent.id',
    'gen_ai.agent.name',
    'gen_ai.conversation.id',
    'gen_ai.operation.name',
    'gen_ai.output.messages',
    'gen_ai.provider.name',
    'gen_ai.request.model',
    'gen_ai.request.stream',
    'gen_ai.response.finish_reasons',
    'gen_ai.response.model',
    'gen_ai.token.modality',
    'gen_ai.tool.call.id',
    'gen_ai.tool.call.result',
    'gen_ai.tool.name',
    'gen_ai.tool.type',
    'gen_ai.usage.cache_read.input_tokens',
    'gen_ai.usage.input_tokens',
    'gen_ai.usage.output_tokens',
    'gen_ai.usage.reasoning.output_tokens',
    'gen_ai.workflow.name',
    'mcp.method.name',
    'otel.metric.overflow',
  ]),
  metrics: new Set([
    'gen_ai.client.inference.duration',
    'gen_ai.client.inference.usage.cache_read.input_tokens',
    'gen_ai.client.inference.usage.input_tokens',
    'gen_ai.client.inference.usage.output_tokens',
    'gen_ai.client.inference.usage.reasoning.output_tokens',
    'gen_ai.invoke_agent.duration',
    'gen_ai.invoke_workflow.duration',
    'mcp.client.operation.duration',
  ]),
  operations: new Set(['execute_tool', 'generate_content', 'invoke_agent', 'invoke_workflow']),
};

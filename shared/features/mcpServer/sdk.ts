// The parts of the SDK that the server uses. Loaded with the first request, alone: see decision 7.

export {
  createMcpHandler,
  McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

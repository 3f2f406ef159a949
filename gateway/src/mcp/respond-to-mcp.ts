import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { RefusedCall } from './refused-call.ts';
import { type CallApi, MCP_TOOLS, type McpTool } from './tools.ts';

export interface McpOptions {
  readonly call: CallApi;
  /** Whether the tools that write are listed. */
  readonly writes: boolean;
  readonly baseUrl: string;
}

/** Returns the response to a request of the Model Context Protocol, whose body is parsed already. */
export function respondToMcp(request: Request, body: unknown, options: McpOptions): Promise<Response> {
  const handler = createMcpHandler(() => serverFor(options), { responseMode: 'json' });
  return handler.fetch(request, { parsedBody: body });
}

function serverFor({ call, writes, baseUrl }: McpOptions): McpServer {
  const server = new McpServer(
    { name: 'tocsin', title: 'Tocsin', version: '1.0.0' },
    {
      instructions:
        'Uptime monitoring and status pages. Begin with list_problems. Ask the user before a tool that writes.',
    },
  );
  for (const tool of MCP_TOOLS.filter((tool) => writes || !tool.writes)) {
    const { name, title, description, input } = tool;
    const annotations = { readOnlyHint: !tool.writes, destructiveHint: false, openWorldHint: false };
    server.registerTool(
      name,
      { title, description, inputSchema: fromJsonSchema(input as never), annotations },
      (args) => resultOf(tool, args, call, baseUrl),
    );
  }
  return server;
}

/** Runs a tool. A refused call becomes a result, so that the agent can correct its input or ask for a permission. */
async function resultOf(tool: McpTool, args: unknown, call: CallApi, baseUrl: string) {
  try {
    const result = await tool.run(args as never, call);
    return { content: [{ type: 'text' as const, text: JSON.stringify(result) }] };
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error;
    const hint = /lacks the permission/.test(error.message) ? `. Create a key that has it at ${baseUrl}/account` : '';
    return { isError: true, content: [{ type: 'text' as const, text: `${error.message}${hint}` }] };
  }
}

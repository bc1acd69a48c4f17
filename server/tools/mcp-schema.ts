import { type Static, Type } from 'typebox'

const name = Type.String({ description: 'The name by which agents use it.', examples: ['crm__search'] })
const description = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  description: 'What the server says about it.',
  examples: ['Finds customers.'],
})
const parameters_text = {
  description: 'The JSON Schema of its arguments, as the server gives it.',
  examples: [{ type: 'object', properties: { name: { type: 'string' } } }],
}
const server_name = Type.String({ description: "The server's name for it.", examples: ['search'] })

/** What a version keeps of the tool of a server. */
export const KeptMcpTool = Type.Object({
  name,
  server_name,
  description,
  parameters: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...parameters_text }),
})
export type KeptMcpTool = Static<typeof KeptMcpTool>

export const ListedMcpTools = Type.Object(
  {
    tools: Type.Array(
      Type.Object({
        name: Type.Unsafe<string | null>({
          ...name,
          type: ['string', 'null'],
          description: "The name by which agents use it. `null` if they can't.",
        }),
        server_name,
        description,
        parameters: Type.Unsafe<Record<string, unknown> | null>({
          type: ['object', 'null'],
          additionalProperties: true,
          ...parameters_text,
          description: `${parameters_text.description} \`null\` if agents can't use it.`,
        }),
        unusable_because: Type.Unsafe<string | null>({
          type: ['string', 'null'],
          description: "Why agents can't use it. `null` if they can.",
          examples: [null],
        }),
      }),
      { description: 'At most 500.' },
    ),
    has_more: Type.Boolean({
      description: "Whether the server has more tools, which agents can't use.",
      examples: [false],
    }),
    error: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: "Why the server's tools could not be listed. `null` if they were.",
      examples: [null],
    }),
  },
  { title: 'McpTools' },
)
export type ListedMcpTools = Static<typeof ListedMcpTools>
